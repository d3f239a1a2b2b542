"""Commands held against events: what was acknowledged is there, what was refused is not, nothing is twice."""

from __future__ import annotations

from collections import Counter

from tests.wire.history import Finding, History, Sent
from tests.wire.tape import Json

# What a committed command's batch must hold (one of these).
EVENTS_OF = {
    "sit": {"seated", "back", "ready"},
    "leave": {"left"},
    "rename": {"renamed"},
    "start": {"dealt"},
    "reveal": {"revealed"},
    "turn": {"revealed"},
    "ready": {"ready"},
    "stop": {"ended"},
    "say": {"said"},
    "unsay": {"unsaid"},
    "mute": {"muted"},
    "remove": {"left"},
    "settings": {"settings"},
    "lock": {"settings"},
    "host": {"host"},
    "pause": {"paused"},
}

# Events that only a command can cause, and which.
CAUSED = {
    "renamed": ("rename",),
    "dealt": ("start",),
    "said": ("say",),
    "unsaid": ("unsay",),
    "muted": ("mute",),
    "paused": ("pause",),
    "settings": ("settings", "lock"),
    "ready": ("ready", "sit", "start"),
}


def check(history: History, *, complete: bool) -> None:
    """Raise `Finding` where commands and events disagree."""
    _once(history)
    for sent in history.commands:
        for answer in sent.answers:
            if answer["ok"]:
                _there(history, sent, answer)
    if complete:
        _counted(history)
        _asked_for(history)


def _once(history: History) -> None:
    """What has a number or a name of its own happens once."""
    seen: Counter[tuple[object, ...]] = Counter()
    game = 0
    for _, event in history.events():
        kind = event["type"]
        if kind == "dealt":
            game = event["game"]
        key: tuple[object, ...] | None = {
            "dealt": (kind, event.get("game")),
            "committed": (kind, event.get("game")),
            "revealed": (kind, game, event.get("n")),
            "reshuffled": (kind, game, event.get("shuffle")),
            "out": (kind, game, event.get("seat")),
            "ended": (kind, game),
            "said": (kind, event.get("id")),
            "opened": (kind,),
        }.get(kind)
        if key is not None:
            seen[key] += 1
            if seen[key] > 1:
                raise Finding("twice", f"{key} happened twice: {event}")


def _there(history: History, sent: Sent, answer: Json) -> None:
    seq = answer.get("seq")
    wanted = EVENTS_OF.get(sent.name)
    if seq is None or wanted is None or seq not in history.seen or not history.seen[seq]:
        return
    batch = history.batches.get(seq)
    found = [] if batch is None else [event for event in batch.events if event["type"] in wanted]
    if sent.name in ("reveal", "turn"):
        found = [event for event in found if event["n"] == sent.payload["n"]]
    if sent.name == "sit" and answer.get("seat") is not None:
        found = [event for event in found if event["seat"] == answer["seat"]]
    if sent.name == "say":
        _line(history, sent, seq, found)
    if not found:
        raise Finding("missing", f"{sent.owner}'s {sent.name} was acknowledged in batch {seq}, which has {batch}")


def _line(history: History, sent: Sent, upto: int, lines: list[Json]) -> None:
    """An acknowledged line is there once, by who said it."""
    if len(lines) > 1:
        raise Finding("twice", f"{sent.owner} said one line: {lines}")
    seat = sent.seat
    for batch, event in history.events():
        if event["type"] == "moved" and sent.seq < batch.seq < upto and seat in event["seats"]:
            seat = event["seats"].index(seat)
    for line in lines:
        if line["seat"] != seat or line.get("phrase") != sent.payload.get("phrase"):
            raise Finding("said", f"{sent.owner} of seat {seat} said {sent.payload}, it became {line}")


def _counted(history: History) -> None:
    """There are no more effects than commands that may have caused them."""
    done = Counter(sent.name for sent in history.commands if not sent.refused)
    effects = Counter(event["type"] for _, event in history.events())
    allowed = {kind: sum(done[name] for name in names) for kind, names in CAUSED.items()}
    for why, name in (("left", "leave"), ("removed", "remove")):
        effects[f"left ({why})"] = sum(event["why"] == why for event in history.of_type("left"))
        # In mid-game a seat is left, and freed by an event of its own at the end.
        allowed[f"left ({why})"] = 2 * done[name]
    effects["ended (stopped)"] = sum(event["reason"] == "stopped" for event in history.of_type("ended"))
    allowed["ended (stopped)"] = done["stop"]
    people = sum(event["kind"] == "person" for event in history.of_type("seated"))
    makers = 1 if history.of_type("opened") else 0
    effects["seated (person)"], allowed["seated (person)"] = people, done["sit"] + makers
    for kind, most in allowed.items():
        if effects[kind] > most:
            raise Finding("unasked", f"{effects[kind]} of {kind}, by {most} commands that were not refused")


def _asked_for(history: History) -> None:
    """Every card that a person turned was asked for by that person, and not refused."""
    game: int | None = None
    reveals: dict[tuple[object, object, object], list[Sent]] = {}
    for sent in history.commands:
        if sent.name == "reveal":
            reveals.setdefault((sent.game, sent.payload.get("n"), sent.seat), []).append(sent)
    for _, event in history.events():
        if event["type"] == "dealt":
            game = event["game"]
        if event["type"] != "revealed" or event["by"] != "self" or game is None:
            continue
        asked = reveals.get((game, event["n"], event["seat"]), [])
        if not asked:
            raise Finding("unasked", f"nobody at seat {event['seat']} asked for {event} of game {game}")
        if all(sent.refused for sent in asked):
            raise Finding("refused", f"{event} of game {game} is there, though each asking for it was refused")
