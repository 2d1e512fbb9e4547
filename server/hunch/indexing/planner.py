"""Cutting files in processes of their own, where a parser that hangs or crashes takes nothing along.

Parsers are C code: one crash would end the server, one endless loop would hold a thread for ever.
A worker (`worker.py`) that is lost names the file it was at. That file is cut into blocks by the
next worker, and the rest as ever.
"""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
from contextlib import suppress
from threading import Lock, Semaphore, Timer
from typing import TYPE_CHECKING

import numpy as np

from hunch.indexing.planning import File, Plan, plan
from hunch.indexing.worker import LATE
from hunch.languages import kind_of, language_of
from hunch.model import Problem
from hunch.sources.stopping import Stopped
from hunch.store.documents import NewDocument
from hunch.store.postings import FIELDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hunch.ranking.terms import Terms

log = logging.getLogger(__name__)

FILE_SECONDS = 10.0
"""Seconds that one file may take."""
IDLE_SECONDS = 60.0
"""Seconds without work after which the workers end."""
WORKERS = min(2, os.cpu_count() or 1)
"""How many calls that are not urgent work at the same time."""
COMMAND = (sys.executable, "-P", "-m", "hunch.indexing.worker")
"""-P: the current folder is a user's project, and nothing in it may be imported."""

_STARTS = 3
"""How many workers in a row may be lost before their first file."""
_EXIT_SECONDS = 1.0


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
            file_seconds: how long one file may take.
            idle_seconds: without work for so long, the workers end.
            workers: how many calls that are not urgent work at the same time.
        """
        self._terms = terms
        self._command = command
        self._file_seconds = file_seconds
        self._idle_seconds = idle_seconds
        self._turns = {False: Semaphore(workers), True: Semaphore(1)}
        self._lock = Lock()
        self._free: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._idle_timer: Timer | None = None
        self._is_able = True
        self._is_closed = False

    def plan(self, files: Sequence[File], *, urgent: bool = False) -> Plan:
        """Cut some files and count their terms.

        A file that the parser crashes on, or does not finish in time, is cut into blocks. If not
        even that succeeds, its document has no chunks. Both say so in the document's `problem`.
        The documents are in no particular order.

        Args:
            files: no two with the same path.
            urgent: do not wait for calls that are not urgent; only for others that are.

        Raises:
            Stopped: the planner was closed.
        """
        if not files:
            return plan(files, self._terms)
        with self._turns[urgent]:
            return self._plan(files)

    def warm(self) -> None:
        """Start a worker, if there is none, so that the next call finds it ready."""
        with self._lock, suppress(OSError):
            if self._is_able and not self._is_closed and not self._free:
                self._free.append(_Worker(self._command))
                self._end_later()

    def close(self) -> None:
        """End all workers; calls under way raise Stopped, and later ones do."""
        with self._lock:
            self._is_closed = True
            if self._idle_timer:
                self._idle_timer.cancel()
            free, busy = self._free, [*self._busy]
            self._free = []
        for worker in free:
            worker.end()
        for worker in busy:
            worker.kill()

    def _plan(self, files: Sequence[File]) -> Plan:
        plain: dict[str, str] = {}
        failed: dict[str, str] = {}
        lost_early = 0
        while worker := self._take():
            try:
                documents, postings = worker.plan(
                    [file for file in files if file[0] not in failed], plain, self._file_seconds
                )
            except _Lost as lost:
                self._drop(worker)
                lost_early = 0 if lost.path else lost_early + 1
                if lost_early >= _STARTS:
                    self._give_up()
                elif lost.path:
                    self._blame(lost, plain, failed)
            else:
                self._give_back(worker)
                break
        else:
            left = [file for file in files if file[0] not in failed]
            documents, postings = plan(left, self._terms, plain=plain)
        lost_files = [file for file in files if file[0] in failed]
        return [
            *documents,
            *(_without_chunks(file, failed[file[0]]) for file in lost_files),
        ], postings

    def _blame(self, lost: _Lost, plain: dict[str, str], failed: dict[str, str]) -> None:
        what = f"did not end within {self._file_seconds:g} s" if lost.is_late else "crashed"
        log.warning("a parser %s; the file is cut in a simpler way", what)
        log.debug("it was at %s", lost.path)
        if lost.path in plain:
            failed[lost.path] = f"cutting it into blocks {what}"
        else:
            plain[lost.path] = f"the parser {what}"

    def _take(self) -> _Worker | None:
        """Return a worker that nobody else uses, or nothing if there can be none."""
        with self._lock:
            if self._is_closed:
                raise Stopped
            if not self._is_able:
                return None
            try:
                worker = self._free.pop() if self._free else _Worker(self._command)
            except OSError:
                worker = None
            else:
                self._busy.add(worker)
        if worker is None:
            self._give_up()
        return worker

    def _give_up(self) -> None:
        self._is_able = False
        log.warning("no process can be started; a parser that crashes will end this one")

    def _give_back(self, worker: _Worker) -> None:
        with self._lock:
            self._busy.discard(worker)
            if not self._is_closed:
                self._free.append(worker)
                self._end_later()
                return
        worker.end()

    def _drop(self, worker: _Worker) -> None:
        with self._lock:
            self._busy.discard(worker)
        worker.end()

    def _end_later(self) -> None:
        if self._idle_timer:
            self._idle_timer.cancel()
        self._idle_timer = Timer(self._idle_seconds, self._end_free)
        self._idle_timer.daemon = True
        self._idle_timer.start()

    def _end_free(self) -> None:
        with self._lock:
            free, self._free = self._free, []
        for worker in free:
            worker.end()


class _Lost(Exception):
    """The worker ended before it answered."""

    def __init__(self, path: str, *, is_late: bool) -> None:
        super().__init__()
        self.path = path
        """The file it was at; empty if none."""
        self.is_late = is_late


class _Worker:
    """The parent's side of one worker process. One thread at a time may use it, except `kill`."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start the process.

        Raises:
            OSError: that is not possible.
        """
        # Of the standard streams, which belong to the protocol, it has none; a Ctrl-C in the
        # terminal is for the parent alone; on Windows, no window opens.
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._answers = self._process.stdin, self._process.stdout

    def plan(self, files: Sequence[File], plain: Mapping[str, str], seconds: float) -> Plan:
        """Have a plan made.

        Raises:
            _Lost: the process ended.
        """
        at = ""
        try:
            pickle.dump((files, plain, seconds), self._requests, pickle.HIGHEST_PROTOCOL)
            self._requests.flush()
            while isinstance(answer := pickle.load(self._answers), str):  # noqa: S301 - our own child wrote it
                at = answer
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise _Lost(at, is_late=self._exit_code() == LATE) from error
        return answer

    def _exit_code(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(_EXIT_SECONDS)
        return None

    def kill(self) -> None:
        """End the process, whatever it is doing, and wait until it has."""
        self._process.kill()
        self._process.wait()

    def end(self) -> None:
        """End the process and let go of its pipes."""
        self.kill()
        with suppress(OSError):
            self._requests.close()  # which tries to send what the process did not read
        self._answers.close()


def _without_chunks(file: File, reason: str) -> NewDocument:
    """Make the document of a file that cannot be cut: it is looked at again once it changes."""
    path, text, stamp = file
    language = language_of(path, text[:200])
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
