"""Ids for the turns of agents that give their messages none."""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b


def digest_id(*parts: object) -> str:
    """Return an id that is the same wherever the same values stand."""
    text = "\n".join(map(str, parts))
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


class QuestionIds:
    """Ids made of the conversation, the question, and how often it was asked before.

    They are the same in every store that holds the conversation, however it counts its messages.
    """

    def __init__(self, conversation: str) -> None:
        self._conversation = conversation
        self._asked: Counter[str] = Counter()

    def next(self, question: str) -> str:
        """Return the id of the next question of the conversation."""
        id_ = digest_id(self._conversation, " ".join(question.split()))
        self._asked[id_] += 1
        times = self._asked[id_]
        return id_ if times == 1 else f"{id_}~{times}"
