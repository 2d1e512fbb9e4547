"""The worker processes of the planner: started when needed, lent out, ended when idle.

The parent's side; `worker.py` is what runs in them.
"""

from __future__ import annotations

import logging
import pickle
import subprocess
import sys
import time
from contextlib import suppress
from threading import Lock, Timer
from typing import TYPE_CHECKING

from hunch import __version__
from hunch.indexing.worker import LATE
from hunch.sources.stopping import Stopped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hunch.indexing.planning import File, Plan

log = logging.getLogger(__name__)

COMMAND = (sys.executable or "python", "-P", "-m", "hunch.indexing.worker", __version__)
"""Starts a worker. -P: the current folder is a user's project, and nothing in it may be imported."""

_EXIT_SECONDS = 1.0
"""How long a process that has closed its pipe may take until it has an exit code."""


class Lost(Exception):
    """A worker ended before it answered."""

    def __init__(self, path: str, *, is_late: bool) -> None:
        super().__init__()
        self.path = path
        """The file it was at; empty if none."""
        self.is_late = is_late
        """Whether it ended because the file took longer than it may."""


class Worker:
    """One worker process. One thread at a time may use it, except for `kill`."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start the process.

        Raises:
            OSError: that is not possible.
        """
        # It has none of our standard streams, which may belong to the protocol. A Ctrl-C in the
        # terminal is for us alone, and on Windows no window opens.
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

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone, though nobody here ended it."""
        return self._process.poll() is not None

    def plan(self, files: Sequence[File], plain: Mapping[str, str], seconds: float) -> Plan:
        """Have a plan made.

        Args:
            files: no two with the same path.
            plain: path → why the file is to be cut into blocks, for those that are.
            seconds: how long a file may take, and each million characters of a longer one.

        Raises:
            Lost: the process ended.
        """
        at = ""
        try:
            pickle.dump((files, plain, seconds), self._requests, pickle.HIGHEST_PROTOCOL)
            self._requests.flush()
            while isinstance(answer := pickle.load(self._answers), str):  # noqa: S301 - our own child wrote it
                at = answer
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise Lost(at, is_late=self._exit_code() == LATE) from error
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


class Workers:
    """Lends workers out. All methods may be called from any thread."""

    def __init__(self, command: Sequence[str], idle_seconds: float) -> None:
        """Prepare; nothing is started yet.

        Args:
            command: starts a worker.
            idle_seconds: when none was lent out for so long, those that are there end. When none
                can be started, that is not tried again for so long.
        """
        self._command = command
        self._idle_seconds = idle_seconds
        self._lock = Lock()
        self._free: list[Worker] = []
        self._lent: set[Worker] = set()
        self._idle_timer: Timer | None = None
        self._no_start_before = 0.0
        self._is_closed = False

    def take(self) -> Worker | None:
        """Lend a worker, which must be given back or dropped; nothing if there can be none.

        Raises:
            Stopped: `close` was called.
        """
        with self._lock:
            if self._is_closed:
                raise Stopped
            worker = self._living() or self._start()
            if worker:
                self._lent.add(worker)
            return worker

    def warm(self) -> None:
        """Start a worker if there is none, so that the next `take` finds it ready."""
        with self._lock:
            if not self._is_closed and not self._free and (worker := self._start()):
                self._free.append(worker)
                self._end_later()

    def _living(self) -> Worker | None:
        while self._free:
            worker = self._free.pop()
            if not worker.has_ended:
                return worker
            worker.end()
        return None

    def _start(self) -> Worker | None:
        if time.monotonic() < self._no_start_before:
            return None
        try:
            return Worker(self._command)
        except OSError:
            self.give_up()
            return None

    def give_up(self) -> None:
        """Start no worker for a while."""
        log.warning("no process can be started: a parser that crashes will end this one")
        self._no_start_before = time.monotonic() + self._idle_seconds

    def give_back(self, worker: Worker) -> None:
        """Return a worker that can be lent again."""
        with self._lock:
            self._lent.discard(worker)
            if not self._is_closed:
                self._free.append(worker)
                self._end_later()
                return
        worker.end()

    def drop(self, worker: Worker) -> None:
        """Return a worker that was lost.

        Raises:
            Stopped: it was lost because `close` was called.
        """
        with self._lock:
            self._lent.discard(worker)
        worker.end()
        if self._is_closed:
            raise Stopped

    def close(self) -> None:
        """End all workers; those who borrowed some see them as lost. Returns when they are gone."""
        with self._lock:
            self._is_closed = True
            lent = [*self._lent]
        self._end_free()
        for worker in lent:
            worker.kill()

    def _end_later(self) -> None:
        self._cancel_timer()
        self._idle_timer = Timer(self._idle_seconds, self._end_free)
        self._idle_timer.daemon = True
        self._idle_timer.start()

    def _cancel_timer(self) -> None:
        if self._idle_timer:
            self._idle_timer.cancel()
            self._idle_timer = None

    def _end_free(self) -> None:
        with self._lock:
            self._cancel_timer()
            free, self._free = self._free, []
        for worker in free:
            worker.end()
