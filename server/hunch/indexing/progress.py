"""How far the work is, as one number that only grows."""

from __future__ import annotations

import time

from hunch.model import Progress

_ETA_AFTER = 1.0
"""Seconds of work before an estimate of the rest means anything."""


class Meter:
    """Counts one run of work: files that are cut, then texts that are embedded.

    A file counts as done when its texts are embedded. While files are still being cut, the number
    of texts to come is guessed from those so far.
    """

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._files = 0
        self._cut = 0
        self._texts = 0
        self._embedded = 0
        self._done = 0
        self._current = ""

    def add_files(self, count: int) -> None:
        """Note that so many more files are to be cut."""
        self._files += count

    def cut(self, count: int, current: str) -> None:
        """Note that so many files are cut, the last of them `current`."""
        self._cut += count
        self._current = current

    def set_pending(self, texts: int) -> None:
        """Note how many of the texts written so far have no vector."""
        self._texts = self._embedded + texts

    def embedded(self, count: int) -> None:
        """Note that so many texts have got their vector."""
        self._embedded += count
        self._texts = max(self._texts, self._embedded)

    def progress(self) -> Progress:
        """Return how far the run is, in files."""
        cut = self._cut / self._files if self._files else 1.0
        fraction = cut * self._embedded_share()
        total = max(self._files, 1)
        self._done = max(self._done, min(int(fraction * total), total))
        elapsed = time.monotonic() - self._started
        known = elapsed >= _ETA_AFTER and fraction > 0
        eta = elapsed * (1 - fraction) / fraction if known else None
        rate = fraction * total / elapsed if known else None
        return Progress(self._done, total, eta, self._current, rate)

    def _embedded_share(self) -> float:
        if self._texts:
            return min(self._embedded / self._texts, 1.0)
        # Files that have just been cut have texts, though nobody has counted them yet.
        return 0.0 if self._files else 1.0
