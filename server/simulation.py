"""`rang-milanti simulate`: many games on all cores, with a progress bar, as a table or as JSON.

Figures and printing only: the games are the engine's. Invariant: the same games, seats and deck give the same
figures on every machine, however many cores it has.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from multiprocessing import get_context

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from engine.cards import DECKS, LEAST_SEATS, Deck, most_seats
from engine.simulate import Outcome, sample

_CHUNK = 500
_SEED = 20260101


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one number of seats: reveals a game, and shares from 0 to 1.

    `capped` is the share that ended at the cap. `wins` has each seat's share of the wins; a shared win is split.
    """

    seats: int
    games: int
    median: float
    mean: float
    p90: int
    p99: int
    longest: int
    capped: float
    wins: tuple[float, ...]


def run(games: int, seats: Sequence[int], deck: str, as_json: bool) -> None:
    """Play `games` games for each number of seats and print the figures; progress goes to standard error.

    Raises ValueError in words where the deck, or a number of seats at it, does not exist.
    """
    rows = figures(games, seats, deck)
    if as_json:
        print(json.dumps({"rows": [asdict(row) for row in rows]}))  # noqa: T201 - it is the command's answer
    else:
        Console().print(table(rows, deck))


def figures(games: int, seats: Sequence[int], deck: str) -> tuple[Row, ...]:
    """Play the games on all cores and return a row for each number of seats. Raises ValueError as `run` does."""
    known = _deck(deck)
    most = most_seats(known)
    if games < 1:
        raise ValueError("There must be one game at least.")
    if not seats or not LEAST_SEATS <= min(seats) <= max(seats) <= most:
        raise ValueError(f"The {known} deck is for {LEAST_SEATS} to {most} seats.")
    chunks = [(known, count, *chunk) for count in seats for chunk in _chunks(games)]
    found: dict[tuple[int, int], tuple[Outcome, ...]] = {}
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    # Spawned, not forked: a fork of a process that has threads can hang.
    workers = min(len(chunks), os.cpu_count() or 1)
    with bar, ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        task = bar.add_task("Games", total=games * len(seats))
        for done in as_completed(pool.submit(_play, chunk) for chunk in chunks):
            key, outcomes = done.result()
            found[key] = outcomes
            bar.advance(task, len(outcomes))
    return tuple(
        row(count, [outcome for key in sorted(found) if key[0] == count for outcome in found[key]]) for count in seats
    )


def row(seats: int, outcomes: Sequence[Outcome]) -> Row:
    """Return the figures of some games of one number of seats; the percentiles are by nearest rank."""
    reveals = sorted(outcome.reveals for outcome in outcomes)
    games = len(reveals)
    wins = [0.0] * seats
    for outcome in outcomes:
        for seat in outcome.winners:
            wins[seat] += 1 / len(outcome.winners)
    return Row(
        seats=seats,
        games=games,
        median=(reveals[(games - 1) // 2] + reveals[games // 2]) / 2,
        mean=sum(reveals) / games,
        p90=reveals[math.ceil(0.9 * games) - 1],
        p99=reveals[math.ceil(0.99 * games) - 1],
        longest=reveals[-1],
        capped=sum(outcome.capped for outcome in outcomes) / games,
        wins=tuple(share / games for share in wins),
    )


def table(rows: Sequence[Row], deck: str) -> Table:
    """Return the figures as a table; each seat's share of wins has its standard error beside it."""
    shown = Table(
        title=f"Reveals a game, {deck} deck, {rows[0].games:,} games a row",
        caption="Wins by seat, ± one standard error",
        show_lines=True,
    )
    for name in ("Seats", "Median", "Mean", "p90", "p99", "Longest", "Capped"):
        shown.add_column(name, justify="right", no_wrap=True)
    shown.add_column("Wins, %", no_wrap=True)
    for each in rows:
        wins = [
            f"{seat}: {100 * share:.1f} ± {100 * math.sqrt(share * (1 - share) / each.games):.1f}"
            for seat, share in enumerate(each.wins, 1)
        ]
        shown.add_row(
            str(each.seats),
            f"{each.median:g}",
            f"{each.mean:.1f}",
            str(each.p90),
            str(each.p99),
            str(each.longest),
            f"{100 * each.capped:.2f} %",
            "\n".join(wins),
        )
    return shown


def _deck(name: str) -> Deck:
    for deck in DECKS:
        if deck == name:
            return deck
    raise ValueError(f"There is no deck {name!r}: choose from {', '.join(DECKS)}.")


def _chunks(games: int) -> Iterator[tuple[int, int]]:
    """Yield each chunk's number and size: what is drawn depends on the chunk, never on who plays it."""
    for number, start in enumerate(range(0, games, _CHUNK)):
        yield number, min(_CHUNK, games - start)


def _play(chunk: tuple[Deck, int, int, int]) -> tuple[tuple[int, int], tuple[Outcome, ...]]:
    deck, seats, number, games = chunk
    seed = _SEED + 1_000_000 * seats + number
    return (seats, number), sample(deck=deck, seats=seats, games=games, seed=seed)
