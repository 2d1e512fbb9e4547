"""How work in a thread is told to end early."""

from __future__ import annotations


class Stopped(Exception):
    """The caller's `should_stop` said so; there is no result."""
