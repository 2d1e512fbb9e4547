"""Filters: which chunks may be candidates at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore import GitIgnorePatternError

from hunch.errors import InvalidQuery

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from hunch.model import Filter, Source
    from hunch.store.snapshot import Snapshot


def allowed_chunks(
    snapshot: Snapshot, wanted: Filter, roots: Sequence[Path]
) -> NDArray[np.bool_] | None:
    """Return which chunks a filter lets through, shape (chunks,), or None for all of them.

    Raises:
        InvalidQuery: a glob is malformed.
    """
    documents = allowed_documents(snapshot, wanted, roots)
    return None if documents.all() else documents[snapshot.document_of]


def allowed_documents(
    snapshot: Snapshot, wanted: Filter, roots: Sequence[Path]
) -> NDArray[np.bool_]:
    """Return which documents a filter lets through, shape (documents,)."""
    documents = snapshot.documents
    sources = [s.id for s in snapshot.sources.values() if wanted.everywhere or _in_scope(s, roots)]
    allowed = np.isin(documents.sources, sources)
    if wanted.kinds is not None:
        allowed &= np.isin(documents.kinds, [kind.value for kind in wanted.kinds])
    if wanted.languages is not None:
        allowed &= np.isin(documents.languages, [*wanted.languages])
    if wanted.agents is not None:
        allowed &= documents.kinds == "conversation"
    if wanted.since is not None:
        allowed &= documents.mtimes >= wanted.since.timestamp()
    if wanted.until is not None:
        allowed &= documents.mtimes <= wanted.until.timestamp()
    return _by_path(snapshot, wanted, allowed)


def _in_scope(source: Source, roots: Sequence[Path]) -> bool:
    return source.kind != "workspace" or source.root in roots


def _by_path(snapshot: Snapshot, wanted: Filter, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    if not (wanted.folders or wanted.include or wanted.exclude):
        return allowed
    include, exclude = _spec("include", wanted.include), _spec("exclude", wanted.exclude)
    for i in np.flatnonzero(allowed).tolist():
        path = snapshot.documents.paths[i]
        allowed[i] = (
            (include is None or include.match_file(path))
            and (exclude is None or not exclude.match_file(path))
            and _below(snapshot, i, path, wanted.folders)
        )
    return allowed


def _below(snapshot: Snapshot, document: int, path: str, folders: Sequence[Path]) -> bool:
    if not folders:
        return True
    source = snapshot.sources[int(snapshot.documents.sources[document])]
    return any((source.root / path).is_relative_to(folder) for folder in folders)


def _spec(field: str, globs: Sequence[str]) -> GitIgnoreSpec | None:
    try:
        return GitIgnoreSpec.from_lines(globs) if globs else None
    except GitIgnorePatternError as error:
        raise InvalidQuery(f"filter.{field}", "is not a valid glob") from error
