"""How large a chunk may be. All numbers to tune stand here.

`ink` is the count of characters that are not white space: indentation and blank lines cost a reader
and an embedding model next to nothing, so the target is measured in ink.
"""

from __future__ import annotations

import string

TARGET_INK = 1_500
"""A chunk is cut when it would hold more ink than this."""
TINY_INK = 200
"""A chunk with less ink than this is merged with a neighbour."""
MAX_CHARS = 4_000
"""No chunk is longer, white space included."""
MAX_TOKENS = 1_000
"""No chunk has more tokens by `estimate_tokens`."""
BLOCK_LINES = 50
"""Text without a known structure is cut after at most this many lines."""
OVERLAP_LINES = 2
"""Lines of prose that a piece of a section repeats from the piece before it."""
CONTEXT_CHARS = 200
"""A line of context is cut after this many characters."""
MAX_DEPTH = 24
"""Definitions nested deeper than this are treated as siblings at this depth."""
PARSE_SECONDS = 1.0
"""Processor time that one parse may take, per million characters."""

_PUNCTUATION = string.punctuation.replace("_", "").encode()
_TO_SPACES = bytes(
    0x20 if byte >= 0x80 or byte in _PUNCTUATION else byte  # words are made of ASCII
    for byte in range(256)
)


def ink(text: str) -> int:
    """Count the characters of `text` that are not white space."""
    return len("".join(text.split()))


def estimate_tokens(text: str) -> int:
    """Guess how many tokens a model sees in `text`; never more than its characters.

    Subword vocabularies spend about one token on four bytes of running text, one on each word and
    punctuation mark of code, and one on each character outside ASCII; the larger guess counts.
    """
    raw = text.encode("utf-8", "surrogatepass")
    ascii_only = raw.translate(None, bytes(range(0x80, 0x100)))
    words = len(raw.translate(_TO_SPACES).split())
    marks = len(ascii_only) - len(ascii_only.translate(None, _PUNCTUATION))
    return max(len(raw) // 4, words + marks + len(text) - len(ascii_only))


def is_within_bounds(text: str) -> bool:
    """Tell whether `text` may be one chunk."""
    if len(text) <= min(MAX_CHARS, MAX_TOKENS):
        return True
    return len(text) <= MAX_CHARS and estimate_tokens(text) <= MAX_TOKENS
