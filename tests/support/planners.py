"""Planners with workers that fail at a test's command, and files to plan."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import support
from hunch import __version__
from hunch.indexing.planner import Planner
from hunch.ranking.terms import Terms
from hunch.store.documents import NewDocument, Stamp

if TYPE_CHECKING:
    from hunch.indexing.planning import File, Plan

FAULTY = Path(next(iter(support.__path__))) / "faulty_worker.py"


def faulty_planner(starts: Path, **options: Any) -> Planner:
    """Make a planner whose workers write their process ids to `starts`."""
    command = (sys.executable, str(FAULTY), str(starts), __version__)
    return Planner(Terms(), **{"command": command, **options})


def started(starts: Path) -> list[int]:
    """Return the process ids of all workers that were started, oldest first."""
    return [int(line) for line in starts.read_text().split()] if starts.exists() else []


def file(path: str, text: str) -> File:
    """Make a file to plan."""
    return path, text, Stamp(len(text), 1, b"h")


def comparable(found: Plan) -> tuple[dict[str, tuple[Any, ...]], list[Any]]:
    """Return a plan as values that can be compared."""
    documents, postings = found
    fields = [getattr(postings, name).tolist() for name in ("terms", "offsets", "chunks", "counts")]
    return {document.path: _comparable(document) for document in documents}, fields


def _comparable(document: NewDocument) -> tuple[Any, ...]:
    values = {name: getattr(document, name) for name in NewDocument.__slots__}
    return (*(values | {"lengths": document.lengths.tolist()}).values(),)
