"""What a soak came to: how much was played, what went wrong on purpose, who came back how, and what was lost."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from statistics import quantiles

from rich.console import Console
from rich.table import Table as Grid


@dataclass(slots=True)
class Report:
    """Numbers alone; `lost` has what the checker found, in its words, and where the tape of it is."""

    tables: int = 0
    games: int = 0
    reveals: int = 0
    lines: int = 0
    judged: int = 0
    fired: Counter[str] = field(default_factory=Counter)
    resumed: Counter[str] = field(default_factory=Counter)
    away_s: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """From the loss of a connection until its first frame after, by the fault that was on."""
    lost: list[str] = field(default_factory=list)

    def within(self, fault: str, percent: int) -> float:
        """Return the time within which so many in a hundred were back, s; 0 if nobody was away."""
        times = self.away_s.get(fault, [])
        return max(times, default=0.0) if len(times) < 2 else quantiles(times, n=100, method="inclusive")[percent - 1]

    def verdict(self, kinds: tuple[str, ...]) -> list[str]:
        """Return what is wrong: what was lost, and the faults that never fired."""
        return [*self.lost, *(f"the fault `{kind}` never fired" for kind in kinds if not self.fired[kind])]

    def show(self, console: Console) -> None:
        """Print it."""
        console.print(
            f"{self.tables:,} tables, {self.games:,} finished games, {self.reveals:,} reveals, {self.lines:,} lines of "
            f"chat; {self.resumed['exact']:,} resumed exactly, {self.resumed['snapshot']:,} by snapshot; "
            f"{self.judged:,} histories checked"
        )
        grid = Grid("fault", "fired", "connections lost", "back p50 s", "back p99 s")
        for kind, count in sorted(self.fired.items()):
            away = len(self.away_s.get(kind, []))
            grid.add_row(kind, str(count), str(away), f"{self.within(kind, 50):.2f}", f"{self.within(kind, 99):.2f}")
        console.print(grid)
