"""A worker of the planner that does what a file tells it to, as a faulty parser would.

Run as `python faulty_worker.py STARTS VERSION`. Every process adds its id to the file STARTS, and
keeps the pipe STARTS.alive open for writing, if there is one, for as long as it lives.
A file whose text begins with `#: FAULT ARGUMENT` has that happen when it is cut, but not when it is
cut into blocks, unless FAULT ends with an exclamation mark.
"""

from __future__ import annotations

import faulthandler
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hunch.indexing import worker
from hunch.indexing.planning import plan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hunch.indexing.planning import File, Plan
    from hunch.ranking.terms import Terms

STARTS = Path(sys.argv.pop(1))
PIPE = STARTS.with_suffix(".alive")
ALIVE = os.open(PIPE, os.O_WRONLY) if PIPE.exists() else None


def hang(_: str) -> None:
    """Compute for ever in C, holding the interpreter."""
    if ALIVE is not None:
        os.write(ALIVE, b"hanging\n")
    re.match("(a|a)*b", "a" * 100)


def refuse(_: str) -> None:
    """Raise what nobody expects."""
    raise ValueError("a bug")


def chatter(_: str) -> None:
    """Print, and write where prints go."""
    sys.stdout.write("a line that is no answer\n")
    sys.stdout.flush()
    os.write(1, b"bytes that are none")


FAULTS: dict[str, Callable[[str], object]] = {
    "abort": lambda _: os.abort(),
    "segfault": lambda _: faulthandler._sigsegv(),
    "exit": lambda _: os._exit(0),
    "raise": refuse,
    "hang": hang,
    "print": chatter,
    "read": lambda pipe: Path(pipe).read_text(),
    "write": lambda pipe: Path(pipe).write_text("met"),
}


def make(files: Sequence[File], terms: Terms, *, plain: dict[str, str], begin: Any) -> Plan:
    """Plan as ever, but for the files that say otherwise."""
    texts = {path: text for path, text, _ in files}

    def begin_or_fail(path: str, size: int) -> None:
        begin(path, size)
        if match := re.match(r"#: (\w+)(!?) ?(.*)", texts.get(path, "")):
            fault, is_lasting, argument = match.groups()
            if is_lasting or path not in plain:
                FAULTS[fault](argument)

    return plan(files, terms, plain=plain, begin=begin_or_fail)


if __name__ == "__main__":
    with STARTS.open("a") as starts:
        starts.write(f"{os.getpid()}\n")
    worker.main(make)
