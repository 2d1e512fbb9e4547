"""What a rule of redaction is: a function that finds the secrets of one family in a text.

Rules only look; `redactor` writes. So no rule depends on what another one has already taken out.
"""

from __future__ import annotations

import re
from typing import NamedTuple

PLACEHOLDER = re.compile(r"\[redacted: [a-z ]{1,32}\]")
"""What stands where a secret was."""


class Secret(NamedTuple):
    """A half-open span of characters that has to go, and what it is called."""

    start: int
    end: int
    kind: str
    """A short lower-case word or two, such as `aws key`."""


class Probe:
    """One text, and its lower-case twin of the same length for rules that ignore case."""

    __slots__ = ("lower", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        # The dotted capital I is the one character whose lower case is longer than itself.
        self.lower = text.replace("\u0130", "I").lower()
