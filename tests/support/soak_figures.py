"""What happened in a soak, as lines that a person reads."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from statistics import median


@dataclass(eq=False)
class Figures:
    """What happened."""

    steps: Counter[str] = field(default_factory=Counter)
    searches: int = 0
    seen: list[float] = field(default_factory=list)
    """Seconds until a change of one step on the disk was seen, with nothing in the way."""
    hindered: list[float] = field(default_factory=list)
    """The same while a server was paused or started, or after steps that changed many files."""
    typed: list[float] = field(default_factory=list)
    """Seconds until what was typed was found, by the first search for it."""
    late: int = 0
    """Typed words that the first search did not find, since cutting took longer than it waits."""
    takeovers: list[float] = field(default_factory=list)
    memory: list[str] = field(default_factory=list)
    embedded: int = 0
    again_shown: int = 0
    """Texts that were in an open document and that were embedded more than once."""
    again_lost: int = 0
    """Texts that were embedded anew, since a server ended before it had saved them."""
    again: list[str] = field(default_factory=list)
    """Texts that were embedded more than once for no such reason."""
    kills: int = 0
    warnings: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        """Return all of it as lines."""
        again = f"{self.again_shown} on a screen, {self.again_lost} lost when a server ended"
        lines = [
            f"steps: {self.steps.total()}: {dict(self.steps.most_common())}",
            f"searches: {self.searches}",
            f"seen: {_spread(self.seen)}",
            f"seen with something in the way: {_spread(self.hindered)}",
            f"typed: {_spread(self.typed)}; {self.late} found by a later search only",
            f"takeovers: {_spread(self.takeovers)}; {self.kills} after kill -9",
            f"embedded: {self.embedded}, again: {again}, {len(self.again)} others",
            f"warnings: {dict(self.warnings)}",
        ]
        return "\n".join([*lines, *self.memory])


def _spread(values: list[float]) -> str:
    if not values:
        return "none"
    ordered = sorted(values)
    p95 = ordered[int(len(ordered) * 0.95)]
    return f"{len(values)}, p50 {median(ordered):.2f} s, p95 {p95:.2f} s, most {ordered[-1]:.2f} s"
