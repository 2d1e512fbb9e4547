"""What all tests of the services start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Where the index goes."""
    return tmp_path / "data" / "index.db"
