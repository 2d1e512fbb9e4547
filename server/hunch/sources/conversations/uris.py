"""Paths out of the URIs by which editors name files and folders."""

from __future__ import annotations

import re
from typing import cast
from urllib.parse import unquote, urlsplit

_DRIVE = re.compile(r"/[A-Za-z]:(?:/|$)")


def path_of(value: object) -> str:
    """Return the path in a URI, which may be taken apart into an object, or is a path already.

    The path is one of the machine that the URI names: `vscode-remote://host/home` is `/home`.
    What is neither is empty.
    """
    if isinstance(value, dict):
        parts = cast("dict[str, object]", value)
        inner = parts.get("fsPath") or parts.get("path") or parts.get("external")
        return path_of(inner) if isinstance(inner, str) else ""
    if not isinstance(value, str):
        return ""
    path = value
    if "://" in value:
        try:
            parts_of_uri = urlsplit(value)
        except ValueError:
            return ""
        path = unquote(parts_of_uri.path)
        if parts_of_uri.scheme == "file" and parts_of_uri.netloc:
            path = f"//{parts_of_uri.netloc}{path}"
    return path[1:] if _DRIVE.match(path) else path


def base_name(path: str) -> str:
    """Return the last part of a path of any platform."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]
