"""Judging the body of an answer to `/api/embed`."""

from __future__ import annotations

import numpy as np
import pytest

from hunch.embedding.vectors import parse


def test_good_rows_become_unit_vectors() -> None:
    """A row is brought to unit length, in single precision."""
    [vector] = parse(b'{"embeddings": [[3, 4]]}', texts=1, dimensions=2)
    assert isinstance(vector, np.ndarray)
    assert vector.dtype == np.float32
    np.testing.assert_allclose(vector, [0.6, 0.8], rtol=1e-6)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("[1, 2, 3]", "has not 2 dimensions"),
        ("[]", "has not 2 dimensions"),
        ("[[1], [2]]", "has not 2 dimensions"),
        ("[0, 0]", "zero or not finite"),
        ("[NaN, 1]", "zero or not finite"),
        ("[Infinity, 1]", "zero or not finite"),
        ("[1e308, 1e308]", "zero or not finite"),
        ("[null, 1]", "zero or not finite"),
        ('["a", 1]', "not made of numbers"),
        ("[[1], 2]", "not made of numbers"),
    ],
)
def test_a_bad_row_is_refused_alone(row: str, reason: str) -> None:
    """A row that is no vector becomes a reason; its neighbour stays."""
    first, second = parse(f'{{"embeddings": [{row}, [1, 0]]}}'.encode(), texts=2, dimensions=2)
    assert isinstance(first, str)
    assert reason in first
    assert isinstance(second, np.ndarray)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b"7", b'{"embeddings": 7}', b'{"embeddings": [[1, 0]]}', b"\xff"]
)
def test_another_form_is_an_error(body: bytes) -> None:
    """An answer without exactly one row a text is not guessed at."""
    with pytest.raises(ValueError, match=r".*"):
        parse(body, texts=2, dimensions=2)
