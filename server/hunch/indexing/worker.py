"""The process that cuts files for the planner: `python -m hunch.indexing.worker VERSION`.

Requests come on stdin, answers go to stdout, both pickled. A request is the files, why some of them
are to be cut into blocks, and the seconds that each may take. It is answered by the path of every
file before it is cut, an empty one after the last, and then the plan.

The process ends when stdin does. It also ends when a file takes longer than it may, by a watchdog
that needs neither the interpreter, which the parser may hold, nor the parent, which may be dead.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hunch import __version__
from hunch.indexing.planning import plan
from hunch.ranking.terms import Terms

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from hunch.indexing.planning import Plan

LATE = 1
"""The exit code of a worker that the watchdog ended; `faulthandler` knows no other."""
_BROKEN = 2


def main(make: Callable[..., Plan] = plan) -> None:
    """Serve the parent that holds the other ends of stdin and stdout, with what `make` makes."""
    if sys.argv[1:] != [__version__]:
        sys.exit(_BROKEN)  # Hunch was updated while the parent was running
    # What a library prints must not get among the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        serve(sys.stdin.buffer, answers, make)
    except Exception:  # noqa: BLE001 - whatever it was, the exit code must not be that of LATE
        os._exit(_BROKEN)


def serve(requests: BinaryIO, answers: BinaryIO, make: Callable[..., Plan] = plan) -> None:
    """Answer requests until there are no more.

    Args:
        requests: where they come from.
        answers: where the answers go.
        make: has the parameters of `plan`.

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

            def begin(path: str, size: int, seconds: float = seconds) -> None:
                _send(answers, path)
                faulthandler.dump_traceback_later(limit(size, seconds), exit=True, file=nowhere)

            found = make(files, terms, plain=plain, begin=begin)
            faulthandler.cancel_dump_traceback_later()
            _send(answers, found)


def limit(size: int, seconds: float) -> float:
    """Return the seconds that a file of `size` characters may take: more from a million on."""
    return seconds * max(1, size / 1_000_000)


def _send(answers: BinaryIO, answer: object) -> None:
    pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
    answers.flush()


if __name__ == "__main__":
    main()
