"""Databases as agents write them, without waiting for the disk."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def connect(path: Path) -> sqlite3.Connection:
    """Open a database that need not survive a power cut."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    return connection
