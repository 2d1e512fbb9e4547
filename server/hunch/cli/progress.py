"""How the work on the index goes: a bar on a terminal, a line at its start and end elsewhere."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn
from rich.table import Column

from hunch.cli.output import note, plural, stderr, visible
from hunch.moments import duration

if TYPE_CHECKING:
    from rich.progress import TaskID

    from hunch.model import IndexState

_PATIENCE = 0.4
"""Seconds that work may take before it is worth a bar."""
_PATH_LENGTH = 48


@dataclass(frozen=True, slots=True)
class Measure:
    """How far the work is, in what a person would count."""

    done: int
    total: int
    noun: str


def measure(state: IndexState) -> Measure | None:
    """Return how far the work is; None while it is not known whether there is any.

    Work on files is counted in files. When only vectors are missing, chunks are counted.
    """
    progress, counts = state.progress, state.counts
    if progress is None or progress.done >= progress.total:
        return None
    if progress.total == 1 and counts.pending > 1:
        return Measure(counts.chunks - counts.pending, counts.chunks, "chunk")
    return Measure(progress.done, progress.total, "file")


class ProgressView:
    """Shows states as they come. Use as a context manager; call `finish` when the work is done."""

    def __init__(self) -> None:
        self._console = stderr()
        self._started = time.monotonic()
        self._first: Measure | None = None
        self._last: Measure | None = None
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def show(self, state: IndexState) -> None:
        """Show how far the work is."""
        now = measure(state)
        is_first = now is not None and self._first is None
        self._first = self._first or now
        self._last = now or self._last
        if self._console.is_terminal:
            self._draw(state, now)
        elif now and is_first:
            note(f"Indexing {plural(now.total, now.noun)}; Ctrl-C loses nothing.")

    def _draw(self, state: IndexState, now: Measure | None) -> None:
        if time.monotonic() - self._started < _PATIENCE or state.state != "indexing":
            return
        if self._bar is None or self._task is None:
            self._bar = _bar()
            self._task = self._bar.add_task(
                "Looking for changes", total=None, amount="", current=""
            )
            self._bar.start()
        if now and state.progress:
            self._bar.update(
                self._task,
                description="Indexing",
                completed=now.done,
                total=now.total,
                amount=self._amount(now, state.progress.eta_seconds),
                current=_tail(visible(state.progress.current)),
            )

    def _amount(self, now: Measure, eta: float | None) -> str:
        begun = self._first.done if self._first else 0
        rate = (now.done - begun) / (time.monotonic() - self._started)
        parts = [f"{now.done:,}/{now.total:,} {now.noun}s"]
        if rate:
            parts.append(f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s")
        if eta is not None:
            parts.append(f"{duration(max(eta, 1))} left")
        return " · ".join(parts)

    def finish(self, state: IndexState) -> None:
        """Take the bar away and say what was done, if anything was."""
        self.__exit__()
        waiting = state.counts.pending
        if waiting and not state.embedder.available:
            note(
                f"{plural(waiting, 'chunk')} still to be embedded; the next run goes on from there."
            )
        elif self._last:
            took = duration(time.monotonic() - self._started)
            note(f"Indexed {plural(self._last.total, self._last.noun)} in {took}.")


def _tail(path: str) -> str:
    """Return the end of a path, which tells more than its beginning."""
    return path if len(path) <= _PATH_LENGTH else f"…{path[1 - _PATH_LENGTH :]}"


def _bar() -> Progress:
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[amount]}", markup=False, table_column=Column(no_wrap=True)),
        TextColumn(
            "{task.fields[current]}",
            style="dim",
            markup=False,
            table_column=Column(no_wrap=True, overflow="ellipsis"),
        ),
        console=Console(stderr=True),
        transient=True,
    )
