"""Filters: which chunks may be candidates at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore import GitIgnorePatternError

from hunch.errors import InvalidQuery

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from hunch.model import Filter, Source
    from hunch.store.view import View


def allowed_chunks(view: View, wanted: Filter, roots: Sequence[Path]) -> NDArray[np.bool_] | None:
    """Return which chunks a filter lets through, shape (chunks,), or None for all of them.

    Raises:
        InvalidQuery: a glob is malformed.
    """
    documents = allowed_documents(view, wanted, roots)
    return None if documents.all() else documents[view.document_of]


def allowed_documents(view: View, wanted: Filter, roots: Sequence[Path]) -> NDArray[np.bool_]:
    """Return which documents a filter lets through, shape (documents,).

    A file of which several sources know counts once, and an open document hides its saved version.
    """
    documents = view.documents
    in_scope = [s for s in view.stored.sources.values() if wanted.everywhere or _is_open(s, roots)]
    allowed = np.isin(documents.sources, [source.id for source in in_scope])
    allowed[len(view.stored.documents.paths) :] = True
    allowed[view.hidden] = False
    for doubles in _doubles(view, in_scope, roots):
        allowed[doubles] = False
    if wanted.kinds is not None:
        allowed &= np.isin(documents.kinds, [kind.value for kind in wanted.kinds])
    if wanted.languages is not None:
        allowed &= np.isin(documents.languages, [*wanted.languages])
    if wanted.agents is not None:
        of_agents = [s.id for s in view.stored.sources.values() if s.label in wanted.agents]
        allowed &= (documents.kinds == "conversation") & np.isin(documents.sources, of_agents)
    if wanted.since is not None:
        allowed &= documents.mtimes >= wanted.since.timestamp()
    if wanted.until is not None:
        allowed &= documents.mtimes <= wanted.until.timestamp()
    return _by_path(view, wanted, allowed)


def _is_open(source: Source, roots: Sequence[Path]) -> bool:
    return source.kind != "workspace" or source.root in roots


def _doubles(view: View, in_scope: Sequence[Source], roots: Sequence[Path]) -> Iterator[list[int]]:
    """Yield, for two sources of which one lies in the other, the documents that the better one has too."""
    for inner in in_scope:
        for outer in in_scope:
            if outer.root in inner.root.parents:
                prefix = f"{inner.root.relative_to(outer.root).as_posix()}/"
                of_inner = _by_place(view, inner, prefix)
                of_outer = _by_place(view, outer, "")
                worse = of_outer if _is_better(view, inner, outer, roots) else of_inner
                yield [worse[place] for place in of_inner.keys() & of_outer.keys()]


def _is_better(view: View, inner: Source, outer: Source, roots: Sequence[Path]) -> bool:
    """Prefer what is open, then what was looked at last; of two open ones the inner."""
    if outer.root in roots:
        return inner.root in roots
    if inner.root in roots:
        return True
    looked = [view.stored.indexed_at[source.id] for source in (inner, outer)]
    return looked[1] is None or (looked[0] is not None and looked[0] >= looked[1])


def _by_place(view: View, source: Source, prefix: str) -> dict[str, int]:
    paths = view.documents.paths
    of_source = np.flatnonzero(view.stored.documents.sources == source.id).tolist()
    return {prefix + paths[i]: i for i in of_source}


def _by_path(view: View, wanted: Filter, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    if not (wanted.folders or wanted.include or wanted.exclude):
        return allowed
    include, exclude = _spec("include", wanted.include), _spec("exclude", wanted.exclude)
    for i in np.flatnonzero(allowed).tolist():
        path = view.documents.paths[i]
        allowed[i] = (
            (include is None or include.match_file(path))
            and (exclude is None or not exclude.match_file(path))
            and _below(view, i, wanted.folders)
        )
    return allowed


def _below(view: View, document: int, folders: Sequence[Path]) -> bool:
    if not folders:
        return True
    place = view.place_of(document)
    return any(place.is_relative_to(folder) for folder in folders)


def _spec(field: str, globs: Sequence[str]) -> GitIgnoreSpec | None:
    try:
        return GitIgnoreSpec.from_lines(globs) if globs else None
    except GitIgnorePatternError as error:
        raise InvalidQuery(f"filter.{field}", "is not a valid glob") from error
