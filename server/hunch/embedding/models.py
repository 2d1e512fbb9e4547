"""What Hunch knows about embedding models: how they want to be asked, and how much they can take.

The prefixes are those of the models' own descriptions. The limits are the context lengths that
Ollama's files of these models have, which may be less than the models were made for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

INPUT_FORMAT = 1
"""Raised whenever the same text would be sent in another form than before."""


@dataclass(frozen=True, slots=True)
class Profile:
    """How one family of models is used."""

    document_prefix: str = ""
    query_prefix: str = ""
    max_tokens: int = 512
    """Tokens of one text that the model reads."""


_PASSAGES = "Represent this sentence for searching relevant passages: "
_QWEN = (
    "Instruct: Given a question about a software project, retrieve code and text that answer it"
    "\nQuery: "
)
_PROFILES = {
    "nomic-embed-text": Profile("search_document: ", "search_query: ", 2_048),
    "nomic-embed-text-v2": Profile("search_document: ", "search_query: ", 512),
    "nomic-embed-code": Profile(
        "", "Represent this query for searching relevant code: ", max_tokens=8_192
    ),
    "mxbai-embed-large": Profile("", _PASSAGES, 512),
    "snowflake-arctic-embed": Profile("", _PASSAGES, 512),
    "snowflake-arctic-embed2": Profile("", "query: ", 8_192),
    "bge-m3": Profile("", "", 8_192),
    "bge-large": Profile("", _PASSAGES, 512),
    "embeddinggemma": Profile("title: none | text: ", "task: search result | query: ", 2_048),
    "qwen3-embedding": Profile("", _QWEN, 8_192),
    "all-minilm": Profile("", "", 256),
    "granite-embedding": Profile("", "", 512),
    "paraphrase-multilingual": Profile("", "", 128),
}
_PIECE = re.compile(r"[A-Za-z]{1,4}|[0-9]{1,2}|[^\sA-Za-z0-9]")


def full_name(model: str) -> str:
    """Return a model's name with its tag: `nomic-embed-text` → `nomic-embed-text:latest`."""
    model = model.strip()
    return model if ":" in model.rpartition("/")[2] else f"{model}:latest"


def profile_of(model: str) -> Profile:
    """Return the profile of the family that the model's name starts with, the longest one first.

    A registry and an owner before the name do not matter; an unknown model gets no prefixes.
    """
    name = model.strip().lower().rpartition("/")[2]
    families = [family for family in _PROFILES if name.startswith(family)]
    return _PROFILES[max(families, key=len)] if families else Profile()


def cut_to_tokens(text: str, limit: int) -> str:
    """Cut `text` to an estimated `limit` tokens, which errs on the short side for code.

    A token is taken to be four letters, two digits, or any other sign.
    """
    if len(text) <= limit:
        return text
    for count, piece in enumerate(_PIECE.finditer(text)):
        if count == limit:
            return text[: piece.start()]
    return text
