"""`rang-milanti check FILE`: read a saved log or receipt, and say in words what is wrong with it and where.

Reading and wording only; what is right is the engine's to say. Invariant: no file, whatever is in it, raises.
"""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from engine.audit import Finding
from engine.events import Ended, GameEvent
from engine.receipt import NO_NONCE, Receipt, verify, verify_log
from server.protocol.codec import GAME_EVENTS

_RECEIPT: TypeAdapter[Receipt] = TypeAdapter(Receipt)
_EVENTS: dict[str, TypeAdapter[GameEvent]] = {tag: TypeAdapter(record) for tag, record in GAME_EVENTS.items()}
_LARGEST = 16 * 1024 * 1024


class UnreadableError(ValueError):
    """A file that is neither a log nor a receipt; its text says why."""


def check_file(path: Path) -> list[str]:
    """Return what is wrong with a saved log or receipt, a sentence each; nothing if it is right in all."""
    try:
        told = read(path)
    except UnreadableError as error:
        return [str(error)]
    findings = verify(told) if isinstance(told, Receipt) else verify_log(told)
    return [sentence(finding) for finding in findings]


def notes_of(path: Path) -> list[str]:
    """Return what a right file leaves unproven, a sentence each: a running game, seats that gave no nonce."""
    try:
        told = read(path)
    except UnreadableError:
        return []
    if isinstance(told, Receipt):
        return [
            f"Seat {number} ({seat.name}) gave no number to the shuffle."
            for number, (seat, nonce) in enumerate(zip(told.seats, told.nonces, strict=False), 1)
            if nonce == NO_NONCE and seat.kind == "person"
        ]
    if not isinstance(told[-1], Ended):
        return ["The game had not ended: without its seed only the rules were checked, not the shuffles."]
    return []


def read(path: Path) -> Receipt | tuple[GameEvent, ...]:
    """Return the receipt or the log in a file. Raises UnreadableError."""
    try:
        if path.stat().st_size > _LARGEST:
            raise UnreadableError("The file is too large to be a log or a receipt.")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise UnreadableError("The file cannot be read as text.") from None
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise UnreadableError("The file is empty.")
    try:
        whole = _object(text)
    except ValueError:
        whole = None
    if whole is not None and "type" not in whole:
        return _receipt(whole)
    return tuple(_event(number, line) for number, line in lines)


def sentence(finding: Finding) -> str:
    """Return a finding in words."""
    where = f"Reveal {finding.reveal}: " if finding.reveal is not None else ""
    if not finding.found:
        return f"{where}{finding.field} {finding.expected}."
    if finding.field == "log":
        return f"{where}{finding.expected} should come here, and the file has {finding.found}."
    return f"{where}{finding.field} should be {finding.expected}, and the file says {finding.found}."


def _receipt(whole: dict[str, object]) -> Receipt:
    try:
        return _RECEIPT.validate_json(json.dumps(whole), strict=True)
    except ValidationError as error:
        raise UnreadableError(f"The receipt cannot be read: {_first(error)}.") from None


def _event(number: int, line: str) -> GameEvent:
    try:
        told = _object(line)
    except ValueError:
        raise UnreadableError(f"Line {number} is not a JSON object.") from None
    adapter = _EVENTS.get(str(told.get("type")))
    if adapter is None:
        raise UnreadableError(f"Line {number} is no event of a game.")
    try:
        # A log leaves `by` out: who tapped is not in the seed.
        return adapter.validate_json(json.dumps({"by": None, **told}), strict=True)
    except ValidationError as error:
        raise UnreadableError(f"Line {number} ({told['type']}) cannot be read: {_first(error)}.") from None


def _object(text: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    field = ".".join(str(part) for part in problem["loc"])
    return f"{field}: {problem['msg']}" if field else str(problem["msg"])
