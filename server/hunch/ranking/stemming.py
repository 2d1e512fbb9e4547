"""The edge to PyStemmer, which has no types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import Stemmer

if TYPE_CHECKING:
    from collections.abc import Callable


def english_stemmer() -> Callable[[str], str]:
    """Return Porter's second English stemmer; for one thread at a time."""
    stemmer: Any = cast(Any, Stemmer).Stemmer("english", maxCacheSize=0)
    return stemmer.stemWord
