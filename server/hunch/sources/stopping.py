"""How work in a thread is told to end early."""

from __future__ import annotations


class Stopped(Exception):  # noqa: N818 -- stopping on request is no error
    """The caller's `should_stop` said so; there is no result."""
