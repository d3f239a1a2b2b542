"""How fast the engine plays on one core: `make bench` runs it, `make test` does not (a busy machine is no fault).

Each figure is the best of several runs by the processor's clock: noise only ever slows.
"""

from collections.abc import Callable
from time import process_time

from engine.game import Game, deal, reveal
from engine.simulate import provable, sample

RUNS = 12
TABLE = "k7q4m2xp9rtd"
NONCES = ("00" * 16,) * 4


def best(run: Callable[[], int]) -> float:
    """Return the most reveals a second of several runs."""
    rates = []
    for _ in range(RUNS):
        start = process_time()
        reveals = run()
        rates.append(reveals / (process_time() - start))
    return max(rates)


def dealt(number: int) -> Game:
    """Return a game for four, as dealt."""
    seed = number.to_bytes(32, "big").hex()
    return deal(table=TABLE, game=1, deck="standard", length="any", seed=seed, nonces=NONCES)[0]


def with_records() -> int:
    """Play a hundred games through the public `reveal`, dealing included."""
    reveals = 0
    for number in range(100):
        game = dealt(number)
        while game.turn is not None:
            game, _ = reveal(game, "self")
        reveals += game.reveals
    return reveals


def without_records() -> int:
    """Play the provable games of an attempt's search."""
    return sum(
        provable(table=TABLE, game=1, attempt=attempt, deck="standard", cap=5000, seed="5e" * 32, nonces=NONCES).reveals
        for attempt in range(200)
    )


def at_random() -> int:
    """Play the games of `simulate`."""
    return sum(outcome.reveals for outcome in sample(deck="standard", seats=4, games=300, seed=1))


def show(what: str, rate: float) -> None:
    """Print a figure for the log."""
    print(f"\n  {what}: {rate:,.0f} reveals a second on one core")


def test_with_event_records() -> None:
    rate = best(with_records)
    show("with event records", rate)
    assert rate >= 250_000


def test_without_event_records() -> None:
    rate = best(without_records)
    show("without, provable shuffle", rate)
    assert rate >= 800_000


def test_at_random() -> None:
    rate = best(at_random)
    show("without, random shuffle", rate)
    assert rate >= 800_000
