"""Which settings a table may have."""

from __future__ import annotations

import pytest

from server.protocol.events import Settings
from server.rooms.settings import Rejected, settings_of


@pytest.mark.parametrize(
    ("wanted", "settings"),
    [
        ({}, Settings()),
        ({"seats": 6, "deck": "standard", "hat": "red"}, Settings(seats=6)),
        ({"seats": 8, "deck": "double"}, Settings(seats=8, deck="double")),
        ({"kind": "computers", "seats": 99, "computers": 3}, Settings(kind="computers", seats=4, computers=3)),
        ({"computers": 3}, Settings()),
        ({"pace": 0.5, "watchers": False, "locked": True}, Settings(pace=0.5, watchers=False, locked=True)),
    ],
)
def test_what_is_asked_is_made_to_hold_together(wanted: dict[str, object], settings: Settings) -> None:
    assert settings_of(wanted) == settings


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        ({"seats": 1}, "seats"),
        ({"seats": 9}, "seats"),
        ({"seats": 7}, "seats"),
        ({"seats": "4"}, "seats"),
        ({"seats": True}, "seats"),
        ({"kind": "ghosts"}, "kind"),
        ({"kind": "computers", "computers": 4}, "computers"),
        ({"deck": "tarot"}, "deck"),
        ({"length": "endless"}, "length"),
        ({"pace": 3}, "pace"),
        ({"watchers": "yes"}, "watchers"),
    ],
)
def test_what_cannot_be_is_rejected_by_its_field(wanted: dict[str, object], field: str) -> None:
    assert settings_of(wanted) == Rejected("bad_settings", field)


def test_a_forms_words_are_read_as_what_they_mean() -> None:
    assert settings_of({"seats": "3", "watchers": "false", "pace": "2"}, strict=False) == Settings(
        seats=3, watchers=False, pace=2
    )
