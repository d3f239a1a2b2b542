"""`rang-milanti simulate`: the figures, on every core the same, as a table and as JSON."""

from __future__ import annotations

import json

import pytest

from engine.simulate import Outcome
from server.simulation import figures, row, run


def test_the_figures_of_some_games() -> None:
    outcomes = [Outcome(n, (0,), False) for n in range(1, 9)]
    outcomes += [Outcome(9, (0, 1), False), Outcome(5000, (1,), True)]
    found = row(2, outcomes)
    assert (found.seats, found.games, found.median, found.mean) == (2, 10, 5.5, 504.5)
    assert (found.p90, found.p99, found.longest, found.capped) == (9, 5000, 5000, 0.1)
    assert found.wins == pytest.approx((0.85, 0.15))


def test_json_has_exactly_the_rows(capsys: pytest.CaptureFixture[str]) -> None:
    run(600, range(2, 4), "standard", as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert list(told) == ["rows"]
    keys = ["seats", "games", "median", "mean", "p90", "p99", "longest", "capped", "wins"]
    assert [list(each) for each in told["rows"]] == [keys, keys]
    assert [(each["seats"], each["games"], len(each["wins"])) for each in told["rows"]] == [(2, 600, 2), (3, 600, 3)]
    for each in told["rows"]:
        assert sum(each["wins"]) == pytest.approx(1)
        assert each["capped"] == 0
        assert each["median"] < 600
        assert each["p90"] < 1100


def test_the_table_is_for_reading(capsys: pytest.CaptureFixture[str]) -> None:
    run(50, [2], "leftovers", as_json=False)
    told = capsys.readouterr().out
    (found,) = figures(50, [2], "leftovers")
    error = 100 * (found.wins[0] * found.wins[1] / 50) ** 0.5
    assert "leftovers deck" in told
    for figure in (f"{found.mean:.1f}", f"{found.median:g}", str(found.p90), str(found.longest), "0.00 %"):
        assert f" {figure} " in told
    assert f"1: {100 * found.wins[0]:.1f} ± {error:.1f}" in told
    assert "…" not in told


def test_the_same_question_has_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    many = figures(1200, [4], "standard")
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert figures(1200, [4], "standard") == many


@pytest.mark.parametrize(
    ("games", "seats", "deck", "words"),
    [
        (10, [2], "tarot", "no deck"),
        (10, [7], "standard", "2 to 6 seats"),
        (10, [1, 2], "double", "2 to 8 seats"),
        (10, [], "double", "2 to 8 seats"),
        (0, [2], "double", "one game"),
    ],
)
def test_a_wrong_question_is_answered_in_words(games: int, seats: list[int], deck: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        run(games, seats, deck, as_json=True)
