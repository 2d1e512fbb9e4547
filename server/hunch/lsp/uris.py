"""File URIs and paths (RFC 8089), in the spellings that editors use."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from hunch.errors import InvalidQuery

_WINDOWS = sys.platform == "win32"


def path_of(uri: str, field: str) -> Path:
    """Return the real path that a `file:` URI names; links in it are followed.

    A percent-encoded drive letter (`file:///c%3A/x`) is understood, and a host on Windows only.

    Raises:
        InvalidQuery: the URI has another scheme or names no absolute path; blames `field`.
    """
    try:
        parts = urlsplit(uri)
    except ValueError:
        raise InvalidQuery(field, "is not a URI") from None
    if parts.scheme != "file":
        raise InvalidQuery(field, "must be a URI with the scheme file")
    path = unquote(parts.path)
    if not path.startswith("/") or "\0" in path:
        raise InvalidQuery(field, "must name an absolute path")
    host = "" if parts.netloc == "localhost" else unquote(parts.netloc)
    if host and not _WINDOWS:
        raise InvalidQuery(field, "must not name another host")
    return Path(os.path.realpath(_windows_path(host, path) if _WINDOWS else path))


def _windows_path(host: str, path: str) -> str:
    return f"//{host}{path}" if host else path.lstrip("/")


def join(folder_uri: str, relative: str) -> str:
    """Return the URI of a path below a folder, in the client's own spelling of the folder."""
    return f"{folder_uri.rstrip('/')}/{quote(relative)}" if relative else folder_uri
