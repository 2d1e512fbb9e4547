"""Which words mean anything at all: the vocabulary of the built-in embedder, without its vectors."""

from __future__ import annotations

import asyncio
from functools import cached_property

import numpy as np

from hunch.embedding.builtin import MODEL
from hunch.embedding.wordpiece import Tokenizer


class Lexicon:
    """Tells words from noise; reads the vocabulary when it is first asked."""

    async def knows_any(self, text: str) -> bool:
        """Tell whether a text has a word that an embedder can make sense of.

        Words in other than ASCII letters count as known, since some models speak many languages.
        """
        if any(c.isalpha() and not c.isascii() for c in text):
            return True
        return await asyncio.to_thread(lambda: bool(self._tokenizer.ids(text)))

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        with np.load(MODEL, allow_pickle=False) as arrays:
            return Tokenizer(arrays["vocabulary"].tobytes().decode().split("\n"))
