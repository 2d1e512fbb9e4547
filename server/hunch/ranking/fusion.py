"""From candidates to one ranked list.

    base  = (keyword / best keyword + w · (semantic − floor) / (best semantic − floor)) / (1 + w)
    score = base · factors + FILE_SHARE · (scores of the file's next best chunks)

Scores and not ranks are fused, because a chunk that is far ahead of the others should stay so.
"""

from __future__ import annotations

from collections import defaultdict
from math import exp
from typing import TYPE_CHECKING

from hunch.ranking import signals
from hunch.ranking.candidates import Candidate, Ranked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hunch.ranking.question import Question
    from hunch.ranking.terms import Terms

SEMANTIC_WEIGHT = 1.5
"""Of meaning against words, for a question in prose."""
SEMANTIC_WEIGHT_SYMBOL = 0.3
"""The same for a bare identifier: who types a name means it."""
SEMANTIC_WEIGHT_TALK = 0.5
"""The same for turns of conversations: people remember words that were said, and chat is vague."""
FLOOR_RANK = 200
"""The cosine at this rank is what anything has; only what exceeds it counts."""
FILE_SHARE, TALK_SHARE = 0.2, 0.1
NEXT_CHUNKS = 5
"""What the so many next best chunks of a file, or of a conversation, give to each of its chunks."""
SAME_FILE = 0.3
"""Each further chunk of a file counts so much of the one before, so that no file fills the list."""


def rank(
    question: Question,
    candidates: Sequence[Candidate],
    terms: Terms,
    *,
    half_life_days: float = 30.0,
) -> list[Ranked]:
    """Order candidates, best first; of equal scores the earlier candidate.

    Of chunks with the same text only the best is kept.

    Args:
        question: what is asked.
        candidates: from all retrievers, each chunk once.
        terms: splits names into words.
        half_life_days: age at which a conversation has lost half of what being recent gives.
    """
    names, wanted = terms.words_of_name, frozenset(terms.words(" ".join(question.tokens)))
    scores: list[float] = []
    reasons: list[dict[str, float | bool]] = []
    for candidate, base in zip(candidates, _fuse(question, candidates), strict=True):
        stem, folder = signals.stem_and_folder(candidate.path)
        defined = signals.definition(question, candidate)
        named = 1.0
        if not candidate.is_turn:
            named = signals.names(wanted, names(stem), names(folder), names(candidate.title))
        aside = signals.aside(question, candidate)
        preamble = signals.preamble(question, candidate)
        prose = signals.prose(question, candidate)
        talk = signals.conversation(question, candidate, half_life_days)
        scores.append(base * defined * named * aside * preamble * prose * talk)
        reasons.append(_reasons(candidate, defined, named, aside))
    scores = _support(candidates, scores)
    return _collapse(candidates, _spread(candidates, scores), reasons)


def _fuse(question: Question, candidates: Sequence[Candidate]) -> list[float]:
    """Return a base score of each candidate, 0..1."""
    best_keyword = max((c.keyword for c in candidates), default=0.0) or 1.0
    cosines = sorted((c.semantic for c in candidates), reverse=True)
    best = cosines[0] if cosines else 0.0
    floor = cosines[min(FLOOR_RANK, len(cosines)) - 1] if cosines else 0.0
    spread = (best - floor) or 1.0
    weight = SEMANTIC_WEIGHT_SYMBOL if question.is_symbol else SEMANTIC_WEIGHT
    # Where only one retriever is asked, turns and files must be measured by the same rod.
    is_hybrid = best > 0 and any(c.keyword for c in candidates)
    talk = min(weight, SEMANTIC_WEIGHT_TALK) if is_hybrid else weight
    return [
        (c.keyword / best_keyword + w * max(c.semantic - floor, 0.0) / spread) / (1 + w)
        for c in candidates
        for w in [talk if c.is_turn else weight]
    ]


def _reasons(
    candidate: Candidate, defined: float, named: float, aside: float
) -> dict[str, float | bool]:
    reasons: dict[str, float | bool] = {}
    if candidate.semantic > 0:
        reasons["semantic"] = round(candidate.semantic, 4)
    if candidate.keyword > 0:
        reasons["keyword"] = round(candidate.keyword, 2)
    if defined > 1:
        reasons["definition"] = True
    if named > 1:
        reasons["name"] = round(named, 2)
    if aside < 1:
        reasons["aside"] = True
    if candidate.is_here:
        reasons["here"] = True
    if candidate.mentions:
        reasons["mentions"] = True
    return reasons


def _support(candidates: Sequence[Candidate], scores: Sequence[float]) -> list[float]:
    """Let the next best chunks of a file speak for each of them."""
    of_file: defaultdict[int, list[float]] = defaultdict(list)
    for candidate, score in zip(candidates, scores, strict=True):
        of_file[candidate.document].append(score)
    support = {
        document: sum(sorted(s, reverse=True)[1 : 1 + NEXT_CHUNKS])
        for document, s in of_file.items()
    }
    return [
        score + (TALK_SHARE if candidate.is_turn else FILE_SHARE) * support[candidate.document]
        for candidate, score in zip(candidates, scores, strict=True)
    ]


def _spread(candidates: Sequence[Candidate], scores: Sequence[float]) -> list[tuple[float, int]]:
    """Return (score, index) best first, further chunks of a file lowered."""
    seen: defaultdict[int, int] = defaultdict(int)
    lowered: list[tuple[float, int]] = []
    for i in sorted(range(len(scores)), key=lambda i: (-scores[i], i)):
        document = candidates[i].document
        lowered.append((scores[i] * SAME_FILE ** seen[document], i))
        seen[document] += 1
    return sorted(lowered, key=lambda pair: (-pair[0], pair[1]))


def _collapse(
    candidates: Sequence[Candidate],
    ordered: Sequence[tuple[float, int]],
    reasons: Sequence[dict[str, float | bool]],
) -> list[Ranked]:
    kept: dict[int, Ranked] = {}
    for score, i in ordered:
        first = kept.get(candidates[i].text_id)
        if first is None:
            kept[candidates[i].text_id] = Ranked(i, 1 - exp(-score), reasons[i])
        else:
            first.signals["copies"] = first.signals.get("copies", 0) + 1
    return [*kept.values()]
