"""What `hunch doctor` looks at. Each check answers with what it found and what to do about it."""

from __future__ import annotations

import asyncio
import platform
import shutil
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hunch import __version__, config
from hunch.chunking.grammars import GRAMMARS, load
from hunch.cli.output import short_home, size
from hunch.embedding.builtin import BuiltinEmbedder
from hunch.embedding.host import endpoint
from hunch.errors import (
    EmbedderUnavailable,
    HunchError,
    IndexBusy,
    IndexFull,
    IndexReadOnly,
    ModelMissing,
)
from hunch.filesystems import is_network
from hunch.store.database import Database
from hunch.store.health import examine, sqlite_version

if TYPE_CHECKING:
    from hunch.config import Settings

Verdict = Literal["ok", "warn", "fail"]

WATCH_LIMIT = Path("/proc/sys/fs/inotify/max_user_watches")
"""How many folders one user may have watched on Linux; every folder of a project is one."""
ENOUGH_WATCHES = 65_536
_GIT_SECONDS = 10.0
_WRITE_SECONDS = 10.0
_OTHERS = "Wait, or end the program that holds it; nothing is lost by that."


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of one check."""

    name: str
    verdict: Verdict
    message: str
    advice: str = ""
    """What to do; empty when there is nothing."""


async def run_checks() -> list[Check]:
    """Run all checks, one after the other."""
    settings, complaints = config.load()
    return [
        check_versions(),
        *check_settings(complaints),
        await check_database(settings),
        await check_builtin(),
        await check_ollama(settings),
        await asyncio.to_thread(check_grammars),
        await asyncio.to_thread(check_git),
        *check_watches(WATCH_LIMIT),
    ]


def check_versions() -> Check:
    """Name the versions, for reports of faults."""
    python = platform.python_version()
    message = f"Hunch {__version__}, Python {python}, SQLite {sqlite_version()}, {sys.platform}"
    return Check("versions", "ok", message)


def check_settings(complaints: list[str]) -> list[Check]:
    """Report what was not understood in the settings."""
    path = config.config_path()
    if complaints:
        advice = f"Correct it in {short_home(path)}."
        return [Check("settings", "warn", complaint, advice) for complaint in complaints]
    found = short_home(path) if path.exists() else f"defaults; {short_home(path)} would change them"
    return [Check("settings", "ok", found)]


async def check_database(settings: Settings) -> Check:
    """Open the index for writing and examine the whole file."""
    path = config.database_path(settings)
    try:
        database = await asyncio.to_thread(Database.open, path)
    except IndexBusy as error:
        return Check("database", "warn", str(error), _OTHERS)
    except HunchError as error:
        return Check("database", "fail", str(error), "See that its folder exists and is yours.")
    try:
        return await _examine(database, f"{short_home(path)} ({size(path.stat().st_size)})")
    finally:
        await asyncio.to_thread(database.close)


async def _examine(database: Database, where: str) -> Check:
    """Read the whole file, write to it, and say what stands out."""
    again = f"Delete {short_home(database.path)}; it is rebuilt."
    try:
        health = await database.read(examine)
        async with asyncio.timeout(_WRITE_SECONDS):
            await database.write(lambda _: None)
    except (TimeoutError, IndexBusy):
        return Check("database", "warn", f"{where} is held by another program", _OTHERS)
    except IndexFull as error:
        return Check("database", "warn", f"{where}: {error}", "Make room.")
    except IndexReadOnly as error:
        advice = "See that the file and its folder are yours, or move it with HUNCH_DB."
        return Check("database", "warn", f"{where}: {error}", advice)
    except HunchError as error:
        return Check("database", "fail", str(error), again)
    if health.problem:
        return Check("database", "fail", health.problem, again)
    if database.notice:
        return Check("database", "warn", f"{where}: {database.notice}")
    if health.journal_mode == "wal":
        return Check("database", "ok", f"{where} is sound and can be written")
    lies = "lies on a network file system and " if is_network(database.path) else ""
    message = f"{where} {lies}has no write-ahead log (journal mode {health.journal_mode})"
    advice = "Move it to a local disk with HUNCH_DB; on this one, searches wait for indexing."
    return Check("database", "warn", message, advice)


async def check_builtin() -> Check:
    """Load the built-in embedder and embed a few words."""
    try:
        embedder = BuiltinEmbedder()
        vector = await embedder.embed_query("open a file")
    except (OSError, ValueError, KeyError) as error:
        message = f"its vectors cannot be loaded ({type(error).__name__})"
        return Check("built-in embedder", "fail", message, "Install Hunch again.")
    if not vector.any():
        return Check("built-in embedder", "fail", "it knows no word", "Install Hunch again.")
    return Check("built-in embedder", "ok", f"{embedder.model}, {embedder.dimensions} dimensions")


async def check_ollama(settings: Settings) -> Check:
    """Connect to Ollama and embed one text with the model."""
    # It brings the HTTP client along, which no other check needs.
    from hunch.embedding.ollama import connect  # noqa: PLC0415

    where = endpoint(settings)
    if settings.embedder == "builtin":
        return Check("Ollama", "ok", "not asked for; the setting embedder is builtin")
    trouble: Verdict = "fail" if settings.embedder == "ollama" else "warn"
    try:
        embedder = await connect(settings)
    except ModelMissing:
        model = settings.ollama_model
        message = f"answers at {where}, but does not have the model {model}"
        return Check("Ollama", trouble, message, f"Get it with: ollama pull {model}")
    except EmbedderUnavailable as error:
        advice = (
            f"Install it from ollama.com, start it with `ollama serve`, and run `ollama pull"
            f" {settings.ollama_model}`: questions in plain words are answered better with it."
        )
        return Check("Ollama", trouble, f"{str(error).rstrip('.')} ({where})", advice)
    try:
        message = f"{embedder.model} at {where}, {embedder.dimensions} dimensions"
        return Check("Ollama", "ok", message)
    finally:
        await embedder.aclose()


def check_grammars() -> Check:
    """Load every grammar with its queries."""
    broken: list[str] = []
    for name in GRAMMARS:
        try:
            load(name)
        except (ImportError, AttributeError, ValueError, OSError):
            broken.append(name)
    if not broken:
        return Check("grammars", "ok", f"all {len(GRAMMARS)} load")
    message = f"{len(broken)} of {len(GRAMMARS)} do not load: {', '.join(broken)}"
    advice = "Install Hunch again; until then files in these languages are cut into plain blocks."
    return Check("grammars", "warn", message, advice)


def check_git() -> Check:
    """Ask git for its version."""
    version = ""
    if shutil.which("git"):
        with suppress(OSError, subprocess.SubprocessError):
            asked = subprocess.run(
                ["git", "--version"], capture_output=True, timeout=_GIT_SECONDS, check=True
            )
            version = asked.stdout.decode("utf-8", "replace").strip()
    if version:
        return Check("git", "ok", version)
    advice = "Install git; until then Hunch reads .gitignore files by itself, which is slower."
    return Check("git", "warn", "not found", advice)


def check_watches(limit_file: Path) -> list[Check]:
    """Compare Linux's limit of watched folders with what large projects need; none elsewhere."""
    try:
        limit = int(limit_file.read_text("ascii"))
    except (OSError, ValueError):
        return []
    message = f"{limit:,} folders may be watched (fs.inotify.max_user_watches)"
    if limit >= ENOUGH_WATCHES:
        return [Check("file watches", "ok", message)]
    advice = (
        "If changes in large projects go unnoticed, raise it:"
        " echo fs.inotify.max_user_watches=524288 | sudo tee /etc/sysctl.d/40-watches.conf"
        " && sudo sysctl --system"
    )
    return [Check("file watches", "warn", message, advice)]
