"""What we know about code, as factors on a candidate's score.

Each signal is a small pure function that returns a factor, 1 when it has nothing to say. What each
is worth is measured in `tests/benchmarks/README.md`.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from hunch.ranking.question import Question, fold

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from hunch.ranking.candidates import Candidate

_TEST = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testing|testdata|test[-_]?utils?|fixtures?|mocks?|__mocks__|e2e)(/|$)"
    r"|(^|/)(test_[^/]*|[^/]*[._-](test|tests|spec|mock)s?\.[^/.]+|conftest\.py|[^/]*(Tests?|Specs?|TestCase)\.[^/.]+)$"
)
_SIDELINE = re.compile(
    r"(^|/)(examples?|samples?|demos?|benchmarks?|bench|docs?_src|legacy|deprecated|compat|_?vendor(ed)?|third[-_]party|node_modules|dist|build|generated)(/|$)"
    r"|[._-](min|pb|generated|gen)\.[^/.]+$|_pb2\.pyi?$|\.d\.ts$"
)
_REEXPORT = re.compile(r"(^|/)(__init__\.py|index\.[cm]?[jt]sx?|mod\.rs|prelude\.rs)$")

HEADER_TITLE = "(imports/header)"


def definition(question: Question, candidate: Candidate) -> float:
    """Favour a chunk that defines a symbol the query names."""
    if not question.symbols:
        return 1.0
    names = [fold(defined.name) for defined in candidate.definitions]
    if not question.symbols.intersection(names):
        return 1.0
    leads = names[0] in question.symbols
    if question.is_symbol:
        return 3.0 if leads else 2.2
    return 2.0 if leads else 1.6


def name_words(
    words: Collection[str], title_words: Collection[str], path_words: Sequence[Collection[str]]
) -> float:
    """Favour a chunk whose name, file name or folder has words of the query.

    Args:
        words: stemmed words of the query.
        title_words: of the symbol or heading path.
        path_words: of the file's stem and of its folder.
    """
    if not words:
        return 1.0
    stem, folder = path_words
    in_stem = _share(words, stem)
    in_folder = _share(words, folder)
    in_title = _share(words, title_words)
    return 1.0 + 0.8 * in_stem + 0.3 * in_folder + 0.5 * in_title


def _share(words: Collection[str], found: Collection[str]) -> float:
    return sum(word in found for word in words) / len(words)


def sideline(question: Question, candidate: Candidate) -> float:
    """Hold back tests, examples, vendored, generated and re-exporting files, unless asked for."""
    factor = 1.0
    if not question.wants_tests and _TEST.search(candidate.path):
        factor *= 0.5
    if not question.wants_examples and _SIDELINE.search(candidate.path):
        factor *= 0.6
    if _REEXPORT.search(candidate.path) and not question.is_symbol:
        factor *= 0.8
    return factor


def header(candidate: Candidate) -> float:
    """Hold back a file's imports: they have everybody's words and answer nothing."""
    return 0.7 if candidate.title == HEADER_TITLE else 1.0


def path_parts(path: str) -> tuple[str, str]:
    """Return the stem and the nearest folder's name of a path."""
    pure = PurePosixPath(path)
    return pure.stem, pure.parent.name
