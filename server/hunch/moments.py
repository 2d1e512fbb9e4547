"""Moments and durations as people write them."""

from __future__ import annotations

from datetime import date, datetime, time


def parse_moment(text: str, day_time: time) -> datetime:
    """Read an ISO 8601 date or time; without an offset the machine's own time zone is meant.

    Args:
        text: such as `2026-10-01`, `2026-10-01T12:00` or `2026-10-01T12:00:00Z`.
        day_time: what time is meant by a date alone: one end of that day.

    Raises:
        ValueError: it is neither, or lies outside of what a clock can show.
    """
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    moment = datetime.combine(day, day_time) if day else datetime.fromisoformat(text)
    try:
        return moment if moment.tzinfo else moment.astimezone()
    except (OverflowError, OSError) as error:
        raise ValueError(str(error)) from error


def duration(seconds: float) -> str:
    """Write a duration: `0.4 s`, `12 s`, `1:05 min`, `2:10 h`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}:{rest:02} min"
    return f"{minutes // 60}:{minutes % 60:02} h"
