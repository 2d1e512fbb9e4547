"""Passing many ids to one statement."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def ids(values: Sequence[int]) -> str:
    """Return ids as one parameter, for `IN (SELECT value FROM json_each(?))`.

    Unlike a list of question marks it has no limit, and the statement is the same for any number.
    """
    return json.dumps([*values])
