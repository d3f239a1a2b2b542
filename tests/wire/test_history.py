"""The history checker itself: it accepts a faultless history, and rejects each way of spoiling one."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.wire.history import Finding, check
from tests.wire.synthetic import TABLE, Synthetic, play, seed_of
from tests.wire.tape import Entry, Json, Tape

Doctor = Callable[[Synthetic], None]


def judge(table: Synthetic) -> None:
    check(table.book, receipts=[table.receipt], logs={1: table.log})


@pytest.fixture(scope="module")
def faultless() -> bytes:
    return pickle.dumps(play())


def test_accepts_a_whole_game(faultless: bytes) -> None:
    judge(pickle.loads(faultless))


def test_accepts_a_stopped_game() -> None:
    judge(play(stop_after=20))


def test_accepts_a_book_that_begins_in_the_middle(faultless: bytes) -> None:
    table: Synthetic = pickle.loads(faultless)
    table.book.tapes = [tape for tape in table.book.tapes if tape.owner == "watcher"]
    check(table.book, complete=False)


def tape_of(table: Synthetic, owner: str) -> Tape:
    return next(tape for tape in table.book.tapes if tape.owner == owner)


def at(tape: Tape, wanted: Callable[[Entry], bool]) -> int:
    return next(index for index, entry in enumerate(tape.entries) if wanted(entry))


def holds(kind: str, **fields: Any) -> Callable[[Entry], bool]:
    """Whether an entry is an `events` frame with such an event."""

    def found(entry: Entry) -> bool:
        return entry.name == "events" and any(
            event["type"] == kind and all(event[key] == value for key, value in fields.items())
            for event in entry.payload["events"]
        )

    return found


def everywhere(table: Synthetic, change: Callable[[Json], None], kind: str, **fields: Any) -> None:
    """Change an event on every tape alike."""
    for tape in table.book.tapes:
        for entry in filter(holds(kind, **fields), tape.entries):
            for event in entry.payload["events"]:
                if event["type"] == kind and all(event[key] == value for key, value in fields.items()):
                    change(event)


def hole(table: Synthetic) -> None:
    tape = tape_of(table, "Asha")
    del tape.entries[at(tape, holds("revealed", n=7))]


def hole_for_everybody(table: Synthetic) -> None:
    """As if everybody had been away for two batches: the book is not complete, as was promised."""
    table.tapes = {}
    table.batch()
    table.batch()
    table.join("Asha")


def twice(table: Synthetic) -> None:
    tape = tape_of(table, "Asha")
    where = at(tape, holds("revealed", n=7))
    tape.entries.insert(where, tape.entries[where])


def overtaken(table: Synthetic) -> None:
    tape = tape_of(table, "watcher")
    where = at(tape, holds("revealed", n=13))
    tape.entries[where], tape.entries[where + 1] = tape.entries[where + 1], tape.entries[where]


def other_mark(table: Synthetic) -> None:
    tape = tape_of(table, "Bela")
    tape.entries[at(tape, holds("revealed", n=7))].payload["mark"] = "f" * 16


def other_events(table: Synthetic) -> None:
    tape = tape_of(table, "Bela")
    tape.entries[at(tape, holds("renamed"))].payload["events"][0]["name"] = "Bella"


def other_epoch(table: Synthetic) -> None:
    tape = tape_of(table, "late")
    tape.entries[at(tape, lambda entry: entry.name == "snapshot")].payload["epoch"] = "1" * 16


def no_snapshot(table: Synthetic) -> None:
    tape = tape_of(table, "watcher")
    del tape.entries[at(tape, lambda entry: entry.name == "snapshot")]


def taken_back(table: Synthetic) -> None:
    tape, late = tape_of(table, "Asha"), tape_of(table, "watcher")
    old = late.entries[at(late, lambda entry: entry.name == "snapshot")]
    tape.entries.insert(at(tape, holds("revealed", n=20)), old)


def renamed_twice(table: Synthetic) -> None:
    table.batch({"type": "renamed", "seat": 1, "name": "Bela Di"})


def revealed_twice(table: Synthetic) -> None:
    """As if another worker had turned reveal 2 from an old state."""
    old = tape_of(table, "Asha").entries[at(tape_of(table, "Asha"), holds("revealed", n=2))].payload
    for tape in table.tapes.values():
        tape.write("frame", "events", old | {"seq": table.model.seq + 1, "mark": "f" * 16})


def early_answer(table: Synthetic) -> None:
    tape = tape_of(table, "Asha")
    where = at(tape, lambda entry: entry.kind == "answer" and entry.name == "reveal")
    tape.entries[where - 1], tape.entries[where] = tape.entries[where], tape.entries[where - 1]


def early_answer_without_number(table: Synthetic) -> None:
    early_answer(table)
    tape = tape_of(table, "Asha")
    where = at(tape, lambda entry: entry.kind == "answer" and entry.name == "reveal")
    answer = tape.entries[where].answer
    assert answer is not None
    del answer["seq"]


def acknowledged_for_nothing(table: Synthetic) -> None:
    tape = tape_of(table, "Bela")
    answer = tape.entries[at(tape, lambda entry: entry.kind == "answer" and entry.name == "rename")].answer
    assert answer is not None
    answer["seq"] -= 1


def refused_yet_there(table: Synthetic) -> None:
    refuse(tape_of(table, "Bela"), "reveal")


def start_refused_yet_dealt(table: Synthetic) -> None:
    refuse(tape_of(table, "Asha"), "start")


def refuse(tape: Tape, name: str) -> None:
    where = at(tape, lambda entry: entry.name == name and bool((entry.answer or {}).get("ok")))
    no = {"ok": False, "code": "turning", "message": "No."}
    tape.entries[where] = replace(tape.entries[where], answer=no)


def made_yet_refused(table: Synthetic) -> None:
    table.batch()  # a number of its own, so that only the refusal is wrong
    tape = table.tapes["Bela"]
    n = next(e["n"] for e in tape.events("revealed") if e["seat"] == 1)
    table.refused("Bela", "reveal", "turning", n=n)


def answered_otherwise(table: Synthetic) -> None:
    tape = tape_of(table, "Bela")
    where = at(tape, lambda entry: entry.kind == "answer" and entry.name == "rename")
    answer = tape.entries[where].answer
    assert answer is not None
    tape.entries += [
        replace(tape.entries[where], kind="sent", answer=None),
        replace(tape.entries[where], answer=answer | {"seq": answer["seq"] + 1}),
    ]


def wordless(table: Synthetic) -> None:
    tape = tape_of(table, "Bela")
    where = at(tape, lambda entry: entry.kind == "answer" and not (entry.answer or {}).get("ok"))
    tape.entries[where] = replace(tape.entries[where], answer={"ok": False, "code": "not_your_turn"})


def nobody_asked(table: Synthetic) -> None:
    for tape in table.book.tapes:
        tape.entries = [e for e in tape.entries if e.kind not in ("sent", "answer") or e.payload.get("n") != 9]


def other_snapshot(table: Synthetic) -> None:
    tape = tape_of(table, "late")
    tape.entries[at(tape, lambda e: e.name == "snapshot")].payload["seats"][1]["name"] = "Bela"


def stale_snapshot(table: Synthetic) -> None:
    tape = tape_of(table, "watcher")
    tape.entries[at(tape, lambda e: e.name == "snapshot")].payload["game"]["n"] -= 1


def card_lost(table: Synthetic) -> None:
    everywhere(table, lambda event: event.update(stacks=[26, 25]), "dealt")


def wrong_capture(table: Synthetic) -> None:
    first = next(event for event in table.tapes["Asha"].events("captured"))
    count = first["cards"]
    everywhere(table, lambda event: event.update(cards=count + 1), "captured", cards=count)


def order_shown(table: Synthetic) -> None:
    tape = tape_of(table, "watcher")
    tape.entries[at(tape, lambda e: e.name == "snapshot")].payload["next"] = ["7H"]


def extra_field(table: Synthetic) -> None:
    everywhere(table, lambda event: event.update(next=0), "revealed", n=3)


def seed_shown(table: Synthetic) -> None:
    tape = tape_of(table, "Asha")
    where = at(tape, holds("revealed", n=5))
    tape.entries[where] = replace(tape.entries[where], payload=tape.entries[where].payload | {"debug": seed_of(1)})


def seed_on_a_page(table: Synthetic) -> None:
    table.book.page(f"/api/tables/{TABLE}", 200, "{}")
    table.book.pages[0] = replace(table.book.pages[0], order=5, text=seed_of(1))


def nonce_shown(table: Synthetic) -> None:
    tape = tape_of(table, "Bela")
    nonce = tape.events("dealt")[0]["nonces"][0]
    tape.write("frame", "presence", {"watching": 0, "absent": [], "debug": nonce})
    tape.entries[-1] = replace(tape.entries[-1], order=8)


def other_commitment(table: Synthetic) -> None:
    everywhere(table, lambda event: event.update(commitment="0" * 64), "committed", game=1)
    for tape in table.book.tapes:
        for entry in tape.entries:
            if entry.name == "snapshot" and entry.payload["game"] is None:
                entry.payload["commitment"] = "0" * 64


def other_seed(table: Synthetic) -> None:
    table.book.tapes = [tape for tape in table.book.tapes if tape.owner != "late"]
    everywhere(table, lambda event: event.update(seed="0" * 64), "ended")


def bent_card(table: Synthetic) -> None:
    """The same suit, so that only the engine can tell."""
    last = table.tapes["Asha"].events("revealed")[4]
    other = ("3" if last["card"][0] == "2" else "2") + last["card"][1]
    everywhere(table, lambda event: event.update(card=other), "revealed", n=last["n"])
    everywhere(table, lambda event: event.update(on=event["on"] and other), "revealed", n=last["n"] + 1)


def receipt_wrong(table: Synthetic) -> None:
    table.receipt["reveals"] += 1


def log_wrong(table: Synthetic) -> None:
    table.log[3] = {"type": "out", "seat": 0}


DOCTORS: list[tuple[str, Doctor]] = [
    ("run", hole),
    ("hole", hole_for_everybody),
    ("run", twice),
    ("run", overtaken),
    ("fork", other_mark),
    ("fork", other_events),
    ("epoch", other_epoch),
    ("run", no_snapshot),
    ("run", taken_back),
    ("unasked", renamed_twice),
    ("fold", revealed_twice),
    ("early answer", early_answer),
    ("early answer", early_answer_without_number),
    ("missing", acknowledged_for_nothing),
    ("refused", refused_yet_there),
    ("unasked", start_refused_yet_dealt),
    ("answer", made_yet_refused),
    ("answer", answered_otherwise),
    ("answer", wordless),
    ("unasked", nobody_asked),
    ("snapshot", other_snapshot),
    ("snapshot", stale_snapshot),
    ("cards", card_lost),
    ("fold", wrong_capture),
    ("hidden card", order_shown),
    ("fields", extra_field),
    ("secret", seed_shown),
    ("secret", seed_on_a_page),
    ("secret", nonce_shown),
    ("commitment", other_commitment),
    ("commitment", other_seed),
    ("game", bent_card),
    ("receipt", receipt_wrong),
    ("log", log_wrong),
]


@pytest.mark.parametrize(("rule", "doctor"), DOCTORS, ids=[doctor.__name__ for _, doctor in DOCTORS])
def test_rejects(faultless: bytes, rule: str, doctor: Doctor) -> None:
    table: Synthetic = pickle.loads(faultless)
    doctor(table)
    with pytest.raises(Finding) as found:
        judge(table)
    assert found.value.rule == rule, found.value
