"""Runs `hunch` as a person does: a process of its own, with a home directory of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

CLOSED_PORT = "127.0.0.1:1"
"""Where no Ollama listens."""
_SECONDS = 60

RETRY = '''\
"""Talking to the payment gateway."""

import time


class Client:
    """Sends requests over HTTP."""

    def send_with_retry(self, request, attempts=5):
        """Send a request again after a failure, waiting twice as long each time."""
        delay = 0.5
        for attempt in range(attempts):
            try:
                return self.send(request)
            except ConnectionError:
                time.sleep(delay)
                delay *= 2
        raise TimeoutError(request)
'''
RESEND = '''\
"""Delivering mail."""

import time


def deliver_with_backoff(message, tries=4):
    """Deliver a message, and after a failure wait twice as long before the next try."""
    pause = 1.0
    for number in range(tries):
        try:
            return transport.post(message.url, message.body)
        except ConnectionError:
            time.sleep(pause)
            pause *= 2
'''
CART = """\
/** Adds up what is in the shopping cart. */
export function cartTotal(items: Item[]): number {
  return items.reduce((sum, item) => sum + item.price * item.count, 0);
}
"""
GUIDE = """\
# Guide

## Installing

Unpack the archive and start the program.

## Colours

Choose a theme in the settings dialog.
"""
FILES = {
    "src/net/retry.py": RETRY,
    "src/mail/resend.py": RESEND,
    "web/cart.ts": CART,
    "docs/my guide é.md": GUIDE,
}


def make_project(root: Path) -> Path:
    """Write a small project into `root`, put it under git, and return its real path."""
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    # Larger than what is indexed, so that there is a problem to list.
    (root / "src/huge.py").write_text("x = 1\n" * 200_000, "utf-8")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root.resolve()


@dataclass(frozen=True)
class Answer:
    """How a run ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """What `--json` printed."""
        return json.loads(self.out)


@dataclass
class CommandLine:
    """A person's shell: a home directory, a current directory, a few variables."""

    home: Path
    here: Path
    variables: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def environment(self) -> dict[str, str]:
        """What the process is started with."""
        kept = ("PATH", "SYSTEMROOT", "COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG", "TMPDIR")
        return {
            **{name: os.environ[name] for name in kept if name in os.environ},
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            "APPDATA": str(self.home / "config"),
            "LOCALAPPDATA": str(self.home / "data"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_DATA_HOME": str(self.home / "data"),
            "HUNCH_DB": str(self.home / "index.db"),
            "OLLAMA_HOST": CLOSED_PORT,
            "PYTHONUTF8": "1",
            "PYTHONWARNINGS": "error",
            **self.variables,
        }

    def start(self, *arguments: str | Path) -> subprocess.Popen[str]:
        """Start `hunch` and return at once."""
        return subprocess.Popen(
            [sys.executable, "-m", "hunch", *map(str, arguments)],
            cwd=self.here,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def run(self, *arguments: str | Path) -> Answer:
        """Run `hunch` to its end."""
        return ended(self.start(*arguments))

    def configure(self, toml: str) -> None:
        """Write the settings file."""
        for folder in ("config/hunch", "Library/Application Support/hunch"):
            (self.home / folder).mkdir(parents=True, exist_ok=True)
            (self.home / folder / "config.toml").write_text(toml, "utf-8")


def ended(process: subprocess.Popen[str]) -> Answer:
    """Wait for a process's end."""
    try:
        out, err = process.communicate(timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return Answer(process.returncode, out, err)
