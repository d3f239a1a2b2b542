"""A connection as its room keeps it."""

from __future__ import annotations

from server.rooms.member import Member
from tests.server.rooms.house import Ears


def test_its_guest_is_its_sockets() -> None:
    assert Member(Ears("asha"), "asha").guest == "asha"
    assert Member(Ears(""), "nobody-1").guest == ""


def test_two_of_one_guest_are_two() -> None:
    ears = Ears("asha")
    one, two = Member(ears, "asha"), Member(ears, "asha")
    assert one != two
    assert [two].count(one) == 0
    assert len({one, two}) == 2


def test_it_begins_watching_without_auto() -> None:
    member = Member(Ears("asha"), "asha")
    assert (member.generation, member.auto, member.you) == (0, False, None)
