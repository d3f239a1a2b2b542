"""The app's contract file is the records' own: current, and spelled as the wire is."""

from __future__ import annotations

import re

import pytest

from server.protocol import typescript
from server.protocol.commands import COMMANDS


def interface(name: str) -> str:
    found = re.search(rf"export interface {name} {{\n(.*?)^}}", typescript.generate(), re.S | re.M)
    assert found, name
    return found[1]


def test_checked_in_file_is_current() -> None:
    assert typescript.TARGET.read_text(encoding="utf-8") == typescript.generate(), (
        "web/src/protocol.ts is stale: python -m server.protocol.typescript > web/src/protocol.ts"
    )


def test_check_says_when_the_file_is_stale(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert typescript.main(["--check"]) == 0
    monkeypatch.setattr(typescript, "TARGET", typescript.TARGET.with_name("none.ts"))
    assert typescript.main(["--check"]) == 1
    assert "stale" in capsys.readouterr().err


def test_printing_is_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert typescript.main([]) == 0
    assert capsys.readouterr().out == typescript.generate()


def test_an_event_has_its_tag_and_named_types() -> None:
    assert interface("Revealed") == (
        "  type: 'revealed';\n  n: number;\n  seat: number;\n  card: string;\n  on: string | null;\n"
        "  matched: boolean;\n  by?: By;\n"
    )
    assert "  deck: Deck;\n  length: Length;\n" in interface("Dealt")
    assert "  phrase?: Phrase;\n" in interface("Said")


def test_replies_leave_out_only_what_the_contract_lets_them() -> None:
    assert interface("Refused") == (
        "  code: RefusalCode;\n  message: string;\n  ok: false;\n  seats?: number[];\n  field?: string;\n"
    )
    assert interface("Accepted") == "  ok: true;\n  seq?: number;\n  seat?: number;\n  url?: string;\n"
    assert "  turnDue: number | null;\n" in interface("Moment")
    assert "  last: Event[];\n" in interface("GameView")


def test_what_the_app_sends_may_leave_defaults_out() -> None:
    assert interface("Sit") == "  id: string;\n  name?: string | null;\n  seat?: number | null;\n"
    assert interface("Sync") == "  since?: Since | null;\n"


def test_every_command_has_its_payload() -> None:
    assert re.findall(r"^  (\w+): (\w+);$", interface("Commands"), re.M) == [
        (name, record.__name__) for name, record in COMMANDS.items()
    ]


def test_names_are_given_once() -> None:
    names = re.findall(r"^export (?:type|interface) (\w+)", typescript.generate(), re.M)
    assert len(names) == len(set(names))
    assert {"GameEvent", "TableEvent", "Event", "Commands", "NoticeCode", "Phase", "Since"} <= set(names)
