"""`rang-milanti check`: right files say nothing, wrong ones say what is wrong where, and none raises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from engine.game import log, stop
from server.check import check_file, notes_of
from server.main import app
from tests.engine.games import as_json, dealt, played

RECEIPTS = [game["receipt"] for game in json.loads(Path("tests/golden/games.json").read_text())["games"]]


def saved(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "saved"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def lines(reveals: int | None = None, *, stopped: bool = False) -> list[str]:
    game, _ = played(dealt(3)[0], reveals)
    if stopped:
        game, _ = stop(game)
    return [json.dumps(as_json(event)) for event in log(game)]


@pytest.mark.parametrize("receipt", RECEIPTS, ids=lambda r: f"{r['deck']}-{r['length']}-{r['reveals']}")
def test_a_right_receipt_says_nothing(receipt: dict[str, object], tmp_path: Path) -> None:
    path = saved(tmp_path, json.dumps(receipt, indent=1))
    assert check_file(path) == []
    assert notes_of(path) == []


def test_a_right_log_says_nothing(tmp_path: Path) -> None:
    for whole in (lines(), lines(40, stopped=True)):
        path = saved(tmp_path, "\n".join(whole) + "\n")
        assert check_file(path) == []
        assert notes_of(path) == []


def test_a_running_log_is_right_as_far_as_it_goes(tmp_path: Path) -> None:
    path = saved(tmp_path, "\n".join(lines(40)))
    assert check_file(path) == []
    assert "had not ended" in notes_of(path)[0]


def test_who_gave_no_nonce_is_named(tmp_path: Path) -> None:
    receipt = {**RECEIPTS[0], "nonces": ["00" * 16, *RECEIPTS[0]["nonces"][1:]]}
    assert notes_of(saved(tmp_path, json.dumps(receipt))) == ["Seat 1 (P0) gave no number to the shuffle."]


def test_a_wrong_receipt_says_where(tmp_path: Path) -> None:
    said = check_file(saved(tmp_path, json.dumps({**RECEIPTS[0], "winners": [0]})))
    assert said == ["winners should be 1, and the file says 0."]
    said = check_file(saved(tmp_path, json.dumps({**RECEIPTS[0], "seed": "12"})))
    assert said == ["seed must be 32 bytes in lower-case hex."]


def test_a_wrong_log_says_where(tmp_path: Path) -> None:
    whole = lines()
    at = next(i for i, line in enumerate(whole) if '"n": 17,' in line)
    right = json.loads(whole[at])
    other = json.dumps({**right, "card": "XX"})
    said = check_file(saved(tmp_path, "\n".join([*whole[:at], other, *whole[at + 1 :]])))
    assert said == [f"Reveal 17: revealed.card should be {right['card']}, and the file says XX."]
    said = check_file(saved(tmp_path, "\n".join(whole[1:])))
    assert said == ["dealt first should come here, and the file has revealed."]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The file is empty."),
        (" \n\n", "The file is empty."),
        (b"\xff\xfe", "The file cannot be read as text."),
        ("no json", "Line 1 is not a JSON object."),
        ("[1, 2]", "Line 1 is not a JSON object."),
        ("[" * 100_000, "Line 1 is not a JSON object."),
        ('{"type": "won"}', "Line 1 is no event of a game."),
        ('{"type": "out", "seat": "2"}', "Line 1 (out) cannot be read: seat: Input should be a valid integer."),
        ('{"v": 1}', "The receipt cannot be read: table: Field required."),
    ],
)
def test_nonsense_is_said_in_words(text: str | bytes, said: str, tmp_path: Path) -> None:
    path = saved(tmp_path, text)
    assert check_file(path) == [said]
    assert notes_of(path) == []


def test_a_missing_and_a_huge_file(tmp_path: Path) -> None:
    assert check_file(tmp_path / "none") == ["The file cannot be read as text."]
    assert "too large" in check_file(saved(tmp_path, b"x" * (16 * 1024 * 1024 + 1)))[0]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("5e" * 32),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


@given(st.sampled_from(sorted(RECEIPTS[0])), VALUES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_receipt_raises(tmp_path: Path, field: str, value: object) -> None:
    check_file(saved(tmp_path, json.dumps({**RECEIPTS[0], field: value})))


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_log_raises(tmp_path: Path, data: st.DataObject) -> None:
    whole = lines(30, stopped=data.draw(st.booleans()))
    at = data.draw(st.integers(0, len(whole) - 1))
    event = json.loads(whole[at])
    event[data.draw(st.sampled_from(sorted(event)))] = data.draw(VALUES)
    check_file(saved(tmp_path, "\n".join([*whole[:at], json.dumps(event), *whole[at + 1 :]])))


def test_the_command_says_it_and_its_status_agrees(tmp_path: Path) -> None:
    run = CliRunner()
    right = run.invoke(app, ["check", str(saved(tmp_path, "\n".join(lines(40))))])
    assert (right.exit_code, right.output.splitlines()[0]) == (0, "All of it holds.")
    assert "had not ended" in right.output
    wrong = run.invoke(app, ["check", str(saved(tmp_path, json.dumps({**RECEIPTS[0], "winners": [0]})))])
    assert (wrong.exit_code, wrong.output) == (1, "winners should be 1, and the file says 0.\n")
    garbage = run.invoke(app, ["check", str(saved(tmp_path, b"\xff\x00"))])
    assert (garbage.exit_code, garbage.output) == (1, "The file cannot be read as text.\n")
    assert run.invoke(app, ["check", str(tmp_path / "nowhere")]).exit_code == 2
