"""Which records of a transcript lie on the branch that is active.

Agents keep a conversation as a tree: an edited prompt becomes a second child of the same parent, and
the way from the *leaf* back to the root is what counts. The records come in the order of the file. To
stay small in a log of gigabytes a record costs 13 bytes here: the hash of its id, the number of its
parent, a flag.
"""

from __future__ import annotations

from array import array
from hashlib import blake2b

_LOST = -1
_WIDTH = 8


class Branches:
    """The ids and parents of records, numbered in the order in which they come, from 1.

    Number 0 stands for what precedes the first record: nothing when reading starts at the beginning,
    all that was read before when it goes on in the middle (`is_whole` is false). Then only the first
    record hangs on it; the parent of another one must come after the first.
    """

    def __init__(self, *, is_whole: bool = True) -> None:
        self._is_whole = is_whole
        self._hashes = bytearray(_WIDTH)
        self._parents = array("i", [0])
        self._leaf = 0

    def add(self, id: str, parent: str, *, moves_leaf: bool = True) -> int:  # noqa: A002 -- its name
        """Take the next record; return its number.

        An empty parent is the root. A parent that is nowhere is taken to be the leaf: links break,
        and what was said must not get lost.
        """
        number = len(self._parents)
        above = self._above(parent) if self._is_whole or number > 1 else 0
        self._hashes += _hash(id)
        self._parents.append(above)
        if moves_leaf:
            self._leaf = number
        return number

    def on_path(self) -> bytearray | None:
        """Return a flag for each number: 1 on the way from the leaf to number 0, else 0.

        Returns:
            `None` when the way leads past the first record to an earlier one.
        """
        flags = bytearray(len(self._parents))
        number = self._leaf
        while number > 0:
            flags[number] = 1
            number = self._parents[number]
        return None if number == _LOST else flags

    def parent(self, number: int) -> int:
        """Return the number of a record's parent; less than 0 if that stands before the first one."""
        return self._parents[number]

    def _above(self, parent: str) -> int:
        if self._is_whole and not parent:
            return 0
        above = self._find(parent)
        return self._leaf if above == _LOST and self._is_whole else above

    def _find(self, id: str) -> int:  # noqa: A002 -- its name
        """Return the number of the last record with that id; searched from the end, as most are near."""
        wanted = _hash(id)
        end = len(self._hashes)
        while (start := self._hashes.rfind(wanted, _WIDTH, end)) >= 0:
            if start % _WIDTH == 0:
                return start // _WIDTH
            end = start + _WIDTH - 1
        return _LOST


def _hash(id: str) -> bytes:  # noqa: A002 -- its name
    return blake2b(id.encode("utf-8", "replace"), digest_size=_WIDTH).digest()
