"""How far a run of indexing says it is."""

from __future__ import annotations

import pytest

from hunch.indexing.progress import Meter


@pytest.mark.parametrize(
    ("files", "cut", "embedded", "pending", "done", "total"),
    [
        (0, 0, 0, None, 1, 1),
        (0, 0, 0, 0, 1, 1),
        (0, 0, 0, 40, 0, 1),
        (10, 0, 0, None, 0, 10),
        (10, 10, 0, None, 0, 10),
        (10, 10, 0, 40, 0, 10),
        (10, 10, 20, 20, 5, 10),
        (10, 5, 20, 20, 2, 10),
        (10, 10, 40, 0, 10, 10),
    ],
)
def test_a_file_is_done_when_its_texts_are_embedded(
    files: int, cut: int, embedded: int, pending: int | None, done: int, total: int
) -> None:
    """Files count as done in the share of them that is cut and of their texts that is embedded."""
    meter = Meter()
    meter.add_files(files)
    meter.cut(cut, "a.py")
    meter.embedded(embedded)
    if pending is not None:
        meter.set_pending(pending)
    progress = meter.progress()
    assert (progress.done, progress.total, progress.current) == (done, total, "a.py")


def test_progress_never_goes_back() -> None:
    """More texts than expected do not take back what has been told."""
    meter = Meter()
    meter.add_files(10)
    meter.cut(10, "a.py")
    meter.embedded(10)
    meter.set_pending(10)
    assert meter.progress().done == 5
    meter.set_pending(90)
    assert meter.progress().done == 5
