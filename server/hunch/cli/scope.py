"""Which sources the paths of a command line mean.

A folder is a source of its own, unless it lies inside one that is indexed already: then that one is
used and the search is narrowed to the folder, so that nothing is indexed twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Scope:
    """What is to be opened, and what is to be shown of it."""

    roots: tuple[Path, ...]
    """Real paths of the sources, each once."""
    folders: tuple[Path, ...] = ()
    """Real paths that hits must lie at or below; empty when all of the sources is meant."""


def scope_of(paths: Sequence[Path], known: Collection[Path]) -> Scope:
    """Work out what some files and folders mean.

    Args:
        paths: as given; they exist.
        known: roots of the sources that are indexed already.
    """
    places = [path.expanduser().resolve() for path in paths]
    roots = [root_of(place, known) for place in places]
    narrow = any(place != root for place, root in zip(places, roots, strict=True))
    return Scope(tuple(dict.fromkeys(roots)), tuple(dict.fromkeys(places)) if narrow else ())


def root_of(place: Path, known: Collection[Path]) -> Path:
    """Return the innermost known source around a real path, else its folder."""
    around = [root for root in known if place.is_relative_to(root)]
    if around:
        return max(around, key=lambda root: len(root.parts))
    return place if place.is_dir() else place.parent
