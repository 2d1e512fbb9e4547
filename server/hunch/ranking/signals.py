"""What we know about code, as factors on a candidate's score.

Each signal is a small pure function that returns a factor, 1 when it has nothing to say. What each
is worth is measured in `tests/benchmarks/README.md`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from hunch.ranking.question import fold

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from hunch.ranking.candidates import Candidate
    from hunch.ranking.question import Question

_TEST = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testing|testdata|test[-_]?utils?|fixtures?|mocks?|__mocks__|e2e)/"
    r"|(^|/)(test_[^/]*|conftest\.py|[^/]*[._-](test|spec|mock)s?\.[^/.]+|[^/]*(Test|Spec)s?\.[^/.]+)$"
)
_SIDELINE = re.compile(
    r"(^|/)(examples?|samples?|demos?|benchmarks?|legacy|deprecated|compat|_?vendor(ed)?"
    r"|third[-_]party|node_modules|dist|generated)/"
    r"|[._-](min|pb|generated|gen)\.[^/.]+$|_pb2\.pyi?$|\.d\.ts$"
)

DEFINES, DEFINES_INSIDE = 3.0, 2.2
"""For a chunk that is, or holds, the definition of the symbol that is the whole query."""
DEFINES_NAMED, DEFINES_NAMED_INSIDE = 2.0, 1.6
"""The same for a symbol that is named in a sentence."""
IN_STEM, IN_FOLDER, IN_TITLE, STEM_COVERED = 1.5, 0.4, 0.5, 0.6
"""Added to 1 when all words of the query are in the file's stem, its folder's name, the title; and
when all words of the stem are in the query."""
PREAMBLE_TITLE = "(imports/header)"
PREAMBLE = 0.5
"""For a file's imports and constants, where code is compared with code."""
RECENT, HERE, MENTIONS, WANTED = 0.25, 1.2, 1.6, 1.4
"""For conversations: what one of today has more than a very old one, as a share of the latter; for
those about an open folder; for those that name the place which is asked about; for all of them when
the query asks what was said."""
TEST, SIDELINE, PROSE = 0.6, 0.6, 0.8
"""For tests, for examples, copies and generated files, and for documentation, unless the query asks
for them."""


def definition(question: Question, candidate: Candidate) -> float:
    """Favour a chunk that defines a symbol the query names."""
    if not question.symbols:
        return 1.0
    names = [fold(defined.name) for defined in candidate.definitions]
    if not question.symbols.intersection(names):
        return 1.0
    leads = names[0] in question.symbols
    if question.is_symbol:
        return DEFINES if leads else DEFINES_INSIDE
    return DEFINES_NAMED if leads else DEFINES_NAMED_INSIDE


def names(
    words: AbstractSet[str],
    stem: AbstractSet[str],
    folder: AbstractSet[str],
    title: AbstractSet[str],
) -> float:
    """Favour a chunk by the share of the query's words that its names have.

    Args:
        words: stemmed words of the query.
        stem: stemmed words of the file's name without extension.
        folder: of its folder's name.
        title: of the symbol or heading path.
    """
    if not words:
        return 1.0
    in_stem = len(words & stem)
    named = IN_STEM * in_stem + IN_FOLDER * len(words & folder) + IN_TITLE * len(words & title)
    return 1.0 + named / len(words) + STEM_COVERED * in_stem / max(len(stem), 1)


def aside(question: Question, candidate: Candidate) -> float:
    """Hold back tests, examples, copies and generated files, unless asked for."""
    is_test, is_sideline = _standing(candidate.path)
    factor = TEST if is_test and not question.wants_tests else 1.0
    return factor * (SIDELINE if is_sideline and not question.wants_examples else 1.0)


def prose(question: Question, candidate: Candidate) -> float:
    """Hold back documentation a little, which has everybody's words, unless asked for."""
    return PROSE if candidate.is_prose and not question.wants_docs else 1.0


def preamble(question: Question, candidate: Candidate) -> float:
    """Hold back imports where code is compared with code: all files of a project share them."""
    return PREAMBLE if not question.text and candidate.title == PREAMBLE_TITLE else 1.0


def conversation(question: Question, candidate: Candidate, half_life_days: float) -> float:
    """Favour conversations that are asked for, are recent, about an open folder, or name a place."""
    if candidate.age_days is None:
        return 1.0
    factor = 1.0 + RECENT * 0.5 ** (max(candidate.age_days, 0.0) / half_life_days)
    factor *= HERE if candidate.is_here else 1.0
    factor *= WANTED if question.wants_talk else 1.0
    return factor * (MENTIONS if candidate.mentions else 1.0)


@lru_cache(maxsize=65_536)
def _standing(path: str) -> tuple[bool, bool]:
    return _TEST.search(path) is not None, _SIDELINE.search(path) is not None


@lru_cache(maxsize=65_536)
def stem_and_folder(path: str) -> tuple[str, str]:
    """Return a file's name without extension, and its folder's name."""
    pure = PurePosixPath(path)
    return pure.stem, pure.parent.name
