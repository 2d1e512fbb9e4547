"""Making sure that what a server calls an embedding is one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def parse(body: bytes, *, texts: int, dimensions: int | None) -> list[NDArray[np.float32] | str]:
    """Take the vectors out of the body of an answer to `/api/embed`.

    Args:
        body: JSON with a list `embeddings`.
        texts: how many vectors there must be.
        dimensions: how long each must be; `None` takes any length.

    Returns:
        For each text its unit vector, or a clause that says why the one received is none.

    Raises:
        ValueError: the body has another form.
    """
    answer: Any = json.loads(body)
    try:
        rows: list[Any] = list(answer["embeddings"])
    except (TypeError, KeyError) as error:
        raise ValueError("no list of embeddings") from error
    if len(rows) != texts:
        raise ValueError("not as many embeddings as texts")
    return [_unit(row, dimensions) for row in rows]


def _unit(row: Any, dimensions: int | None) -> NDArray[np.float32] | str:
    try:
        vector = np.array(row, np.float64)
    except (TypeError, ValueError):
        return "the model's vector for it is not made of numbers"
    if vector.ndim != 1 or not vector.size or vector.size != (dimensions or vector.size):
        return f"the model's vector for it has not {dimensions or 'any'} dimensions"
    with np.errstate(over="ignore"):
        length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0:
        return "the model's vector for it is zero or not finite"
    return (vector / length).astype(np.float32)
