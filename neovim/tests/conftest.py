"""A small project with its index, and editors in it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from editor import Editor

from support.conversations.claude import ClaudeTranscript
from support.lsp_raw import private_env
from support.lsp_workspace import make_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

QUESTION = "What did we decide about retries of the pomegranate service?"
ANSWER = "Exponential back-off with jitter, capped at thirty seconds."
BUILTIN = "{ settings = { embedder = 'builtin' } }"


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the home of a person who has talked with an agent."""
    home = tmp_path_factory.mktemp("home")
    made = ClaudeTranscript()
    made.person("Shall we name the new service after a fruit?")
    made.says("Pomegranate is still free.")
    made.person(QUESTION)
    made.says(ANSWER)
    made.write(home / ".claude/projects")
    return home


@pytest.fixture(scope="session")
def env(home: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment that leads to nothing of the real user."""
    return private_env(tmp_path_factory.mktemp("private")) | {"HOME": str(home)}


@pytest.fixture(scope="session")
def project(env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small project that is indexed; tests change its files in the editor only."""
    root = make_workspace(tmp_path_factory.mktemp("projects") / "shop")
    subprocess.run([sys.executable, "-m", "hunch", "index", str(root)], env=env, check=True)
    return root


@pytest.fixture
def open_editor(
    env: dict[str, str], project: Path, tmp_path: Path
) -> Iterator[Callable[..., Editor]]:
    """Start editors of the test's own, which are closed, and checked for errors, at its end."""
    opened: list[Editor] = []

    def start(**options: Any) -> Editor:
        options = {"setup": BUILTIN, "cwd": project, "env": env} | options
        opened.append(Editor(tmp_path / f"editor{len(opened)}", **options))
        return opened[-1]

    yield start
    for editor in opened:
        editor.close()


@pytest.fixture(scope="session")
def shared_editor(
    env: dict[str, str], project: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Editor]:
    """Start the editor that most tests use, one after the other, and its server."""
    editor = Editor(tmp_path_factory.mktemp("shared"), setup=BUILTIN, cwd=project, env=env)
    editor.run("Hunch status")
    editor.ready()
    yield editor
    editor.close()


@pytest.fixture
def editor(shared_editor: Editor) -> Iterator[Editor]:
    """Return an editor in the project, with no file open; it is checked for errors at the end."""
    shared_editor.clear()
    yield shared_editor
    shared_editor.check()
