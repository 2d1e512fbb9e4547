"""Cutting files where a parser that hangs or crashes takes nothing along: in processes of their own.

Parsers are C code: one crash would end the server, one endless loop would hold a thread for ever.
A worker that is lost has named the file it was at. That file is cut into blocks by the next worker,
and the others as ever.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, field
from threading import Semaphore
from typing import TYPE_CHECKING

import numpy as np

from hunch.indexing.planning import File, Plan, plan
from hunch.indexing.worker import limit
from hunch.indexing.workers import COMMAND, Lost, Workers
from hunch.languages import kind_of, language_of
from hunch.model import Problem
from hunch.store.documents import NewDocument
from hunch.store.postings import FIELDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hunch.ranking.terms import Terms

log = logging.getLogger(__name__)

FILE_SECONDS = 10.0
"""Seconds that a file may take, and each million characters of a longer one."""
IDLE_SECONDS = 60.0
"""Seconds without work after which the workers end."""
WORKERS = min(2, os.cpu_count() or 1)
"""How many calls that are not urgent work at the same time."""

_STARTS = 3
"""How many workers in a row may be lost before their first file."""
_FIRST_LINE_CHARS = 200


class Planner:
    """Makes plans in worker processes, which start when needed and end when idle.

    All methods block and may be called from any thread. Where no process can be started, plans are
    made in the calling thread.
    """

    def __init__(
        self,
        terms: Terms,
        *,
        command: Sequence[str] = COMMAND,
        file_seconds: float = FILE_SECONDS,
        idle_seconds: float = IDLE_SECONDS,
        workers: int = WORKERS,
    ) -> None:
        """Prepare; nothing is started yet.

        Args:
            terms: for plans that are made in the calling thread.
            command: starts a worker.
            file_seconds: how long a file may take, and each million characters of a longer one.
            idle_seconds: without work for so long, the workers end.
            workers: how many calls that are not urgent work at the same time.
        """
        self._terms = terms
        self._file_seconds = file_seconds
        self._workers = Workers(command, idle_seconds)
        self._turns = {False: Semaphore(workers), True: Semaphore(1)}

    def plan(self, files: Sequence[File], *, urgent: bool = False) -> Plan:
        """Cut some files and count their terms.

        A file that the parser crashes on, or does not finish in time, is cut into blocks. If that
        fails as well, its document has no chunks. Either way its `problem` says so.

        Args:
            files: no two with the same path.
            urgent: wait for other urgent calls only.

        Returns:
            The documents, those without chunks for such a reason last, and their postings.

        Raises:
            Stopped: the planner was closed.
        """
        if not files:
            return plan(files, self._terms)
        work = _Work(files, self._file_seconds)
        with self._turns[urgent]:
            documents, postings = self._plan(work)
        return [*documents, *work.failed()], postings

    def warm(self) -> None:
        """Start a worker if there is none, so that the next call finds it ready."""
        self._workers.warm()

    def close(self) -> None:
        """End all workers; calls under way and later ones raise Stopped."""
        self._workers.close()

    def _plan(self, work: _Work) -> Plan:
        lost_early = 0
        while lost_early < _STARTS and (worker := self._workers.take()):
            try:
                found = worker.plan(work.files, work.plain, self._file_seconds)
            except Lost as lost:
                self._workers.drop(worker)
                if lost.path:
                    work.blame(lost)
                lost_early = 0 if lost.path else lost_early + 1
            else:
                self._workers.give_back(worker)
                return found
        if lost_early:
            self._workers.give_up()
        return plan(work.files, self._terms, plain=work.plain)


@dataclass
class _Work:
    """The files of one call, and what was found out about them."""

    files: Sequence[File]
    """Those that may still be cut."""
    seconds: float
    plain: dict[str, str] = field(default_factory=dict[str, str])
    """Path → why it is cut into blocks."""
    _failed: list[tuple[File, str]] = field(default_factory=list[tuple[File, str]])

    def blame(self, lost: Lost) -> None:
        """Have a file that ended a worker cut in a simpler way, or not at all."""
        at = next(file for file in self.files if file[0] == lost.path)
        what = "crashed"
        if lost.is_late:
            what = f"did not end within {limit(len(at[1]), self.seconds):g} s"
        log.warning("the parser %s on a file", what)
        log.debug("it was %s", lost.path)
        if lost.path not in self.plain:
            self.plain[lost.path] = f"the parser {what}"
            return
        self._failed.append((at, f"cutting it into blocks {what}"))
        self.files = [file for file in self.files if file is not at]

    def failed(self) -> list[NewDocument]:
        """Return the documents of files that cannot be cut: looked at again once they change."""
        return [_without_chunks(file, reason) for file, reason in self._failed]


def _without_chunks(file: File, reason: str) -> NewDocument:
    path, text, stamp = file
    language = language_of(path, text[:_FIRST_LINE_CHARS])
    return NewDocument(
        path=path,
        stamp=stamp,
        language=language,
        kind=kind_of(language),
        chunks=(),
        text_hashes=(),
        lengths=np.zeros((0, FIELDS), np.uint16),
        problem=Problem(path, reason, "failed"),
    )
