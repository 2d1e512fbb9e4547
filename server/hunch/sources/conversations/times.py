"""Times as agents write them, made aware and UTC; what is no time is `None`, never an error."""

from __future__ import annotations

from datetime import UTC, datetime


def from_iso(value: object) -> datetime | None:
    """Read an ISO 8601 time; without an offset UTC is meant."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def from_milliseconds(value: object) -> datetime | None:
    """Read milliseconds since 1970."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return datetime.fromtimestamp(value / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
