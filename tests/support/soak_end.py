"""What must hold when a soak is over: nothing runs, nothing was made twice, the index is as if made afresh."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import psutil

from support.engine_dump import dump
from support.lsp_raw import private_env
from support.soak_editor import Editor, until

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from support.soak_figures import Figures
    from support.stub_ollama import StubOllama

_IN_FLIGHT = 8
"""Batches that two servers may have under way."""
_TELLING = 60
"""Characters by which a text is known."""
DOCUMENT = "search_document: "
"""What the embedder is told before a text that is not a question."""


def left_over(database: Path) -> list[str]:
    """List the processes that have this index and should have ended."""
    return [
        str(process.info["cmdline"])
        for process in psutil.process_iter(["cmdline", "environ"])
        if (process.info["environ"] or {}).get("HUNCH_DB") == str(database)
        and process.pid != os.getpid()
    ]


def count_embedded(
    figures: Figures,
    ollama: StubOllama,
    *,
    related: Counter[str],
    shown: AbstractSet[str],
    ends: Sequence[int],
) -> None:
    """Find out what was embedded more than once, and why.

    What stands in an open document and not yet in the index is embedded for the one who has it open,
    and once more by the server that indexes it when it is saved; what was under way when a server
    ended is lost with it.

    Args:
        figures: takes the counts.
        ollama: has seen every text.
        related: texts of which something similar was asked for, and how often.
        shown: every text that was in an open document.
        ends: how many batches there had been when a server ended.
    """
    asked = dict[str, list[int]]()
    for number, batch in enumerate(ollama.batches):
        for text in batch:
            if text.startswith(DOCUMENT):
                asked.setdefault(text, []).append(number)
    for text, numbers in asked.items():
        figures.embedded += len(numbers)
        again = len(numbers) - 1 - related[text]
        if again <= 0:
            continue
        # The title and the like stand before what is in the document.
        if any(text[-_TELLING:] in each for each in shown):
            figures.again_shown += again
        elif any(n < end <= n + _IN_FLIGHT for n in numbers[:-1] for end in ends):
            figures.again_lost += again
        else:
            figures.again.append(text)


def assert_as_fresh(home: Path, root: Path, ollama: str, options: Mapping[str, Any]) -> None:
    """Compare the index below `home` with one that a server makes now of the same folder.

    Args:
        home: holds `index.db`, which nobody has open.
        root: the folder.
        ollama: its URL.
        options: what both servers are started with.
    """
    fresh_home = home / "fresh"
    fresh_home.mkdir()
    env = {**private_env(fresh_home), "OLLAMA_HOST": ollama}
    editor = Editor("fresh", root, env, watches=False, **options)
    editor.start()
    until(editor.is_ready, 600, "a fresh index is ready")
    editor.stop()
    lived, fresh = dump(home / "index.db", root=root), dump(fresh_home / "index.db", root=root)
    assert fresh.chunks
    for name in ("documents", "chunks", "postings", "problems"):
        _assert_same(name, getattr(lived, name), getattr(fresh, name))
    assert [key for key, row in lived.chunks.items() if row[-1] is None] == []


def _assert_same(name: str, lived: Any, fresh: Any) -> None:
    if lived == fresh:
        return
    if isinstance(lived, dict):
        differ = [key for key in lived.keys() | fresh.keys() if lived.get(key) != fresh.get(key)]
        shown = [(key, lived.get(key), fresh.get(key)) for key in differ[:3]]
        raise AssertionError(f"{name}: {len(differ)} differ, among them {shown}")
    raise AssertionError(f"{name}: {set(lived) ^ set(fresh)}")
