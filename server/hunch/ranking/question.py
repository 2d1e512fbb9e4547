"""What a query asks for, as far as its words tell."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from hunch.ranking.terms import STOP_WORDS

_TOKEN = re.compile(r"\w+")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|/|->|\\)[A-Za-z_$][\w$]*)*[!?]?(?:\(\))?")
_TALK = re.compile(
    r"\b(did|had) (we|you|i)\b"
    r"|\b(we|you|i) (\w+ )?(decided?|agreed?|discuss(ed)?|talked|said|chose|settled|mentioned|tried)\b"
    r"|\b(decisions?|discussions?|conversations?)\b",
    re.IGNORECASE,
)
_TALK_WORDS = """
did had decide decided agree agreed discuss discussed talk talked say said choose chose settle settled
mention mentioned decision decisions discussion discussions conversation conversations
"""
TALK_WORDS = frozenset(_TALK_WORDS.split())
"""Words that tell that something was said, and nothing of what."""
_COMPOUND = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]|\w_\w|\.\w|::|->")

MAX_TOKENS = 64
"""A longer query is a paste; its first words tell enough."""


@dataclass(frozen=True)
class Question:
    """A query and what can be said of it without looking at the index."""

    text: str

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Words and identifiers as written, without those that say nothing, each once."""
        found = list(dict.fromkeys(_TOKEN.findall(self.text)))[:MAX_TOKENS]
        idle = STOP_WORDS | TALK_WORDS if self.wants_talk else STOP_WORDS
        telling = [token for token in found if token.lower() not in idle]
        return tuple(telling or found)

    @cached_property
    def is_symbol(self) -> bool:
        """Whether the query is one bare identifier, perhaps qualified: `Client.send`, `foo_bar`."""
        return _IDENTIFIER.fullmatch(self.text.strip()) is not None

    @cached_property
    def symbols(self) -> frozenset[str]:
        """Names the query may mean a definition by, folded: compound identifiers, or a lone word."""
        named = [t for t in self.text.split() if _COMPOUND.search(t)]
        if self.is_symbol:
            named = [self.text.strip()]
        names = (re.split(r"\.|::|#|/|->|\\", name.strip("`'\"(),?!;:."))[-1] for name in named)
        return frozenset(folded for name in names if (folded := fold(name)))

    @cached_property
    def wants_tests(self) -> bool:
        """Whether the query speaks of tests, so that they are not held back."""
        return bool(
            re.search(
                r"\b(tests?|testing|tested|specs?|fixtures?|mocks?)\b", self.text, re.IGNORECASE
            )
        )

    @cached_property
    def wants_docs(self) -> bool:
        """Whether the query speaks of documents, or is no question about code at all."""
        asked = (
            r"\b(docs?|documentation|readme|guides?|manual|changelog|install(ation)?|licen[cs]e)\b"
        )
        return not self.text or bool(re.search(asked, self.text, re.IGNORECASE))

    @cached_property
    def wants_talk(self) -> bool:
        """Whether the query asks what was said or decided, which code does not tell."""
        return _TALK.search(self.text) is not None

    @cached_property
    def wants_examples(self) -> bool:
        """Whether the query speaks of examples or benchmarks."""
        return bool(
            re.search(
                r"\b(examples?|demos?|samples?|benchmarks?|tutorials?)\b", self.text, re.IGNORECASE
            )
        )


def fold(name: str) -> str:
    """Return a name without case and separators, so that spellings of one name are equal."""
    return re.sub(r"[\W_]+", "", name).lower()
