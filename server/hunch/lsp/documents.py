"""The documents that the client has open, as they are on its screen, saved or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pygls.workspace import TextDocument, Workspace

from hunch.lsp import convert
from hunch.text import LineIndex

if TYPE_CHECKING:
    from pathlib import Path

    from lsprotocol import types as lsp

    from hunch.model import Range


@dataclass(frozen=True, slots=True)
class Place:
    """Code that somebody asks about, and where it stands."""

    text: str
    path: Path | None = None
    """The file's real path; `None` for loose text and for buffers that were never saved."""
    uri: str = ""
    """The client's name of the document; empty for loose text."""
    range: Range | None = None
    symbol: str = ""
    """The symbol path of what stands there, if it has one."""


class LiveDocument(TextDocument):
    """An open document whose lines end where LSP says.

    pygls cuts lines with `str.splitlines`, so that after a form feed or U+2028 every edit lands on
    the wrong line. Can go when pygls counts lines by LF, CRLF and CR only.
    """

    def _apply_incremental_change(self, change: lsp.TextDocumentContentChangePartial) -> None:
        text = self.source
        index = LineIndex(text)
        stretch = convert.range_of(change.range)
        start, end = sorted((index.offset(stretch.start), index.offset(stretch.end)))
        self._source = text[:start] + change.text + text[end:]


class LiveWorkspace(Workspace):
    """pygls' workspace, filled with documents of ours."""

    def _create_text_document(self, doc_uri: str, *args: Any, **options: Any) -> TextDocument:
        options["sync_kind"] = self._sync_kind
        return LiveDocument(doc_uri, *args, position_codec=self._position_codec, **options)

    def live_text(self, uri: str) -> str | None:
        """Return the text of an open document, `None` when it is not open."""
        document = self.text_documents.get(unquote(uri))
        return None if document is None else document.source
