"""Numbers and names of the errors that a request can be answered with."""

from __future__ import annotations

from enum import IntEnum


class Code(IntEnum):
    """The `code` of an error: JSON-RPC 2.0, section 5.1, and LSP 3.17, "Response Message"."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    SERVER_NOT_INITIALIZED = -32002
    REQUEST_CANCELLED = -32800
    REQUEST_FAILED = -32803


INTERNAL = "internal"
"""The `data.kind` of a fault of Hunch itself; the kinds of expected problems are in `errors.py`."""
