"""What must be found and what must not, by every word that was ever written or typed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from support.soak_editor import Editor
    from support.soak_figures import Figures
    from support.soak_tree import Scan, Tree

_LOST = 30.0
"""Seconds after which a change that is not seen counts as lost; without load it takes two."""
_PATIENCE = 1.0
"""Seconds that a search may wait for what was just typed, before it may answer without it."""
_SLOW = 5.0
"""Seconds after which it is worth a line in the log that a change was seen only then."""
_PROBES = 6
"""Words that are asked for at once."""


@dataclass(eq=False)
class _Wait:
    """A change of what should be found that one server has not been seen to know."""

    since: float
    is_hindered: bool


class Oracle:
    """Knows for each editor where each word is, and asks its server for them."""

    def __init__(
        self,
        tree: Tree,
        editors: Sequence[Editor],
        figures: Figures,
        seed: int,
        *,
        log: Callable[[str], object],
    ) -> None:
        """Begin with what the tree holds.

        Args:
            tree: the work tree.
            editors: all that there are.
            figures: takes what is measured.
            seed: of which words are asked for.
            log: told what was seen late.
        """
        self.scan = tree.scan()
        """What is on the disk."""
        self._tree, self._editors, self._figures, self._log = tree, editors, figures, log
        # How often words are asked for is a matter of time, and must not decide what else is drawn.
        self._chance = Random(seed)
        self._waits: dict[tuple[str, str], _Wait] = {}
        self._known: dict[tuple[str, str], frozenset[str] | None] = {}
        self._hindered_until = 0.0
        self._is_untold = False

    def look(self) -> Scan:
        """See what is on the disk now, and return what was there before."""
        before, self.scan = self.scan, self._tree.scan()
        return before

    def expect(self, *, many: bool = False, is_untold: bool = False) -> None:
        """Take note of what has become true of every word, for each editor.

        Args:
            many: many files have changed.
            is_untold: those who should have told of changes have not done so yet.
        """
        self._is_untold = is_untold
        now = time.monotonic()
        if many or any(editor.is_paused for editor in self._editors):
            self.hinder()
        is_hindered = is_untold or now < self._hindered_until
        for editor in self._editors:
            places = self._places(editor)
            for word in self._tree.words:
                expected = places.get(word, frozenset())
                key = editor.name, word
                if self._known.get(key, frozenset()) != expected:
                    self._known[key] = expected
                    self._waits[key] = _Wait(now, is_hindered)

    def hinder(self, seconds: float = 2.0) -> None:
        """Take note that what changes now may be seen late."""
        self._hindered_until = time.monotonic() + seconds
        for wait in self._waits.values():
            wait.is_hindered = True

    def _places(self, editor: Editor) -> dict[str, frozenset[str] | None]:
        """Return where each word is for an editor; None where that is not certain."""
        places: dict[str, set[str]] = {}
        uncertain = set[str]()
        for path, words in self.scan.words.items():
            if path not in editor.documents:
                for word in words:
                    places.setdefault(word, set()).add(path)
        for path, document in editor.documents.items():
            if self._tree.hides(path) or path.startswith("fresh/"):
                uncertain |= document.words | self.scan.words.get(path, frozenset())
            for word in document.words:
                places.setdefault(word, set()).add(path)
        certain = {w: frozenset(paths) for w, paths in places.items() if w not in uncertain}
        return {**certain, **dict.fromkeys(uncertain)}

    def probe(self) -> None:
        """Ask for a few words that were not seen yet, and for one that was."""
        waiting = [key for key in self._waits if self._known[key] is not None]
        keys = self._chance.sample(waiting, min(_PROBES, len(waiting)))
        if self._known:
            keys.append(self._chance.choice([*self._known]))
        for name, word in keys:
            editor = next(e for e in self._editors if e.name == name)
            if editor.is_running:
                self._ask(editor, word)

    def _ask(self, editor: Editor, word: str) -> None:
        key = editor.name, word
        expected = self._known[key]
        if expected is None:
            return
        found, _ = editor.places(word)
        self._figures.searches += 1
        now = time.monotonic()
        if bool(found) == bool(expected) and found <= expected:
            wait = self._waits.pop(key, None)
            if wait:
                took = self._figures.hindered if wait.is_hindered else self._figures.seen
                took.append(now - wait.since)
                if now - wait.since > _SLOW:
                    self._log(f"  {editor.name} saw {word} after {now - wait.since:.1f} s")
            return
        if any(e.is_paused for e in self._editors):
            self.hinder()
        wait = self._waits.setdefault(key, _Wait(now, now < self._hindered_until))
        if any(e.is_paused or not e.is_running for e in self._editors) or self._is_untold:
            wait.since = max(wait.since, now - _LOST / 2)  # nothing is lost before it is told
        assert now - wait.since < _LOST, (
            f"{editor.name} finds {word} in {found}, not in {set(expected)}"
        )

    def find_at_once(self, editor: Editor, path: str, word: str) -> None:
        """See that what was just typed is found, unless a file is too large for that."""
        if self._known[editor.name, word] is None:
            return
        found, took = editor.places(word)
        self._figures.searches += 1
        self._figures.typed.append(took)
        if found == {path}:
            self._waits.pop((editor.name, word), None)
        else:
            self._figures.late += 1
            assert took > _PATIENCE, f"{editor.name} does not find {word} in {path}, but {found}"

    def are_settled(self) -> bool:
        """Tell whether all that is to be seen has been; asks for what has not."""
        while self._waits:
            before = len(self._waits)
            for name, word in [*self._waits]:
                self._ask(next(e for e in self._editors if e.name == name), word)
            if len(self._waits) == before:
                return False
        return True
