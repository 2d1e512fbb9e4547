"""From candidates to one ranked list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hunch.ranking import signals
from hunch.ranking.candidates import Candidate, Ranked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hunch.ranking.question import Question
    from hunch.ranking.terms import Terms

RRF_K = 60
SEMANTIC_WEIGHT_PROSE = 1.0
SEMANTIC_WEIGHT_SYMBOL = 0.3
SAME_FILE = 0.5


def rank(question: Question, candidates: Sequence[Candidate], terms: Terms) -> list[Ranked]:
    """Order candidates, best first; equal scores keep their order.

    Args:
        question: what is asked.
        candidates: from all retrievers, each chunk once.
        terms: splits names into words.
    """
    base = _fuse(question, candidates)
    words = dict.fromkeys(terms.words(" ".join(question.tokens)))
    known: dict[str, frozenset[str]] = {}

    def split(name: str) -> frozenset[str]:
        if name not in known:
            known[name] = frozenset(terms.words(name))
        return known[name]

    ranked: list[Ranked] = []
    for i, candidate in enumerate(candidates):
        stem, folder = signals.path_parts(candidate.path)
        defined = signals.definition(question, candidate)
        named = signals.name_words(words, split(candidate.title), (split(stem), split(folder)))
        score = base[i] * defined * named * signals.sideline(question, candidate) * signals.header(candidate)
        ranked.append(Ranked(i, score, {}))
    ranked.sort(key=lambda r: -r.score)
    return _spread(candidates, ranked)


def _fuse(question: Question, candidates: Sequence[Candidate]) -> list[float]:
    weight = SEMANTIC_WEIGHT_SYMBOL if question.is_symbol else SEMANTIC_WEIGHT_PROSE
    base = [0.0] * len(candidates)
    for values, w in (([c.keyword for c in candidates], 1.0), ([c.semantic for c in candidates], weight)):
        order = sorted((i for i, v in enumerate(values) if v > 0), key=lambda i: -values[i])
        for rank_, i in enumerate(order):
            base[i] += w / (RRF_K + rank_ + 1)
    return base


def _spread(candidates: Sequence[Candidate], ranked: Sequence[Ranked]) -> list[Ranked]:
    """Let no file fill the list: each further chunk of a file counts half of the one before."""
    seen: dict[int, int] = {}
    result: list[Ranked] = []
    for hit in ranked:
        document = candidates[hit.index].document
        n = seen.get(document, 0)
        seen[document] = n + 1
        result.append(Ranked(hit.index, hit.score * SAME_FILE**n, hit.signals))
    return sorted(result, key=lambda r: -r.score)
