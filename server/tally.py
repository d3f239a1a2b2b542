"""What a worker counts of itself, as plain numbers: counted where it happens, read when metrics are asked for.

A reveal counts six times here, so counting is an addition and nothing else; names are `transport/metrics.py`'s.
Invariant: numbers alone; nothing of a table or a person.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

STORE_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
FANOUT_S = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
LAG_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


class Times:
    """A histogram of durations, seconds: `counts` has one more than `bounds`, of what is over the last."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        """Count into buckets that end at these bounds."""
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def took(self, seconds: float) -> None:
        """Count one."""
        self.counts[bisect_left(self.bounds, seconds)] += 1
        self.total += seconds


@dataclass(slots=True, eq=False)
class Tally:
    """One worker's numbers since it started. `commits` is by the kind of the store's answer (`full`, `lost`: none)."""

    reveals: int = 0
    resumed_exact: int = 0
    resumed_by_snapshot: int = 0
    slow: int = 0
    store_up: bool = True
    """Whether the newest question to the store was answered; of one that was refused for want of room it was."""
    commits: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    store: Times = field(default_factory=lambda: Times(STORE_S))
    """From a question to the store until its answer."""
    fanout: Times = field(default_factory=lambda: Times(FANOUT_S))
    """From a batch's arrival here until it is written to the last seated person."""
    lag: Times = field(default_factory=lambda: Times(LAG_S))
    """How late the loop turns."""
