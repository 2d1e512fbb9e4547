"""The process that cuts files for `planner.Planner`; started as `python -m hunch.indexing.worker`.

Requests come on stdin, answers go to stdout, both pickled. A request is the files, why some of them
are to be cut into blocks, and the seconds that each file may take. It is answered by the path of
every file before it is cut, an empty one after the last, and then the plan.

The process ends when stdin does. It also ends, by a watchdog that needs neither the interpreter nor
the parent, when a file takes longer than it may.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hunch.indexing.planning import plan
from hunch.ranking.terms import Terms

if TYPE_CHECKING:
    from typing import BinaryIO

LATE = 1
"""The exit code of a worker that the watchdog ended; it cannot be chosen (`faulthandler`)."""
_BROKEN = 2


def main() -> None:
    """Serve the parent that holds the other ends of stdin and stdout."""
    # What a library prints must not get among the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        serve(sys.stdin.buffer, answers)
    except Exception:  # noqa: BLE001 - whatever it was, the exit code must not be that of LATE
        os._exit(_BROKEN)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more.

    Raises:
        OSError: nobody reads the answers any more.
    """
    terms = Terms()
    with Path(os.devnull).open("w") as nowhere:
        while True:
            try:
                files, plain, seconds = pickle.load(requests)  # noqa: S301 - the parent wrote it
            except EOFError:
                return

            def begin(path: str, seconds: float = seconds) -> None:
                _send(answers, path)
                faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)

            found = plan(files, terms, plain=plain, begin=begin)
            faulthandler.cancel_dump_traceback_later()
            _send(answers, found)


def _send(answers: BinaryIO, answer: object) -> None:
    pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
    answers.flush()


if __name__ == "__main__":
    main()
