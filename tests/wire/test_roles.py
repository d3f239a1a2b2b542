"""Who may do what, and when (contract, section 6): every role, command and phase, and what a refusal leaves behind.

The table below follows from the contract's order of checks: role first (`not_host`, `not_seated`), then phase
(`not_started`, `already_started`, `over`), then the command's own. A removed guest is answered `removed` to everything.
Two people are at a people table: the host, whose turn it is in a game, and another player.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from tests.wire.asking import accepted
from tests.wire.client import Player, RefusedError
from tests.wire.conftest import Party
from tests.wire.crowd import NOT_YET
from tests.wire.processes import Worker
from tests.wire.tape import Json

PHASES = ("lobby", "playing", "over")
ROLES = ("host", "player", "watcher", "stranger", "removed")

# One code for all three phases, or one for each (lobby, playing, over).
MATRIX = """
command  | host                                   | player                                 | watcher                | stranger
sit      | ok                                     | ok                                     | ok already_started ok  | no_cookie
leave    | ok                                     | ok                                     | not_seated             | not_seated
rename   | ok                                     | ok                                     | not_seated             | not_seated
nonce    | ok already_started ok                  | ok already_started ok                  | not_seated             | not_seated
reveal   | not_started ok over                    | not_started not_your_turn over         | not_seated             | not_seated
auto     | not_started ok over                    | not_started ok over                    | not_seated             | not_seated
ready    | not_started already_started ok         | not_started already_started ok         | not_seated             | not_seated
hurry    | not_started ok over                    | not_started ok over                    | not_seated             | not_seated
pause    | not_started not_allowed over           | not_started not_allowed over           | not_seated             | not_seated
nudge    | not_started not_there over             | not_started ok over                    | not_seated             | not_seated
say      | ok                                     | ok                                     | not_seated             | not_seated
move     | ok                                     | ok                                     | not_seated             | not_seated
claim    | stale_link                             | stale_link                             | stale_link             | no_cookie
start    | ok already_started not_ready           | not_host                               | not_host               | not_host
turn     | not_started not_your_turn over         | not_host                               | not_host               | not_host
stop     | not_started ok over                    | not_host                               | not_host               | not_host
unsay    | not_there                              | not_host                               | not_host               | not_host
mute     | ok                                     | not_host                               | not_host               | not_host
remove   | ok                                     | not_host                               | not_host               | not_host
lock     | ok                                     | not_host                               | not_host               | not_host
host     | ok                                     | not_host                               | not_host               | not_host
settings | ok already_started ok                  | not_host                               | not_host               | not_host
delete   | ok                                     | not_host                               | not_host               | not_host
sync     | ok                                     | ok                                     | ok                     | ok
"""  # noqa: E501 - a table is read by its columns

ENDS_IT = frozenset({"leave", "reveal", "start", "stop", "remove", "host", "delete", "ready", "sit", "turn"})
"""What changes the table so much, where it is allowed, that it gets a table of its own."""

FIELDS: dict[str, Json] = {
    "rename": {"name": "Somebody"},
    "nonce": {"nonce": "a" * 32},
    "auto": {"on": True},
    "hurry": {"on": True},
    "pause": {"on": True},
    "say": {"phrase": "hello"},
    "claim": {"token": "A" * 22},
    "unsay": {"said": "nothing"},
    "mute": {"seat": 1, "on": True},
    "remove": {"seat": 1},
    "lock": {"on": True},
    "host": {"seat": 1},
    "settings": {"settings": {"chat": "phrases"}},
}


def cells(role: str, phase: str) -> Iterator[tuple[str, str]]:
    """Yield each command and what it must be answered."""
    for line in MATRIX.strip().splitlines()[1:]:
        command, *columns = (part.strip() for part in line.split("|"))
        if command in NOT_YET:
            continue
        codes = ["removed"] if role == "removed" else columns[ROLES.index(role)].split()
        yield command, codes[PHASES.index(phase) if len(codes) == 3 else 0]


class Scene:
    """A table in some phase with one person of each role; one was removed from it, and stays connected."""

    def __init__(self, party: Party, pair: tuple[Worker, Worker]) -> None:
        self.party = party
        self.bases = (pair[0].base, pair[1].base)
        self.roles: dict[str, Player] = {}

    async def set(self, phase: str) -> None:
        """Bring a new table into this phase."""
        host, player, removed = await self.party.seated(self.bases[0], self.bases[1], self.bases[1], seats=4)
        watcher, stranger = self.party.player("Watcher"), self.party.player("Stranger")
        await watcher.open(self.bases[1], host.table)
        stranger.table = host.table
        await stranger.connect(self.bases[0])
        roles = (host, player, watcher, stranger, removed)
        self.roles = dict(zip(ROLES, roles, strict=True))
        await accepted(host, "remove", seat=2)
        await removed.until(lambda: {"code": "removed"} in (removed.tape.frames("notice") if removed.tape else ()))
        for command in ("start", "stop")[: PHASES.index(phase)]:
            await accepted(host, command)
        for one in roles[:4]:
            await one.until(lambda one=one: one.model.phase == phase)  # type: ignore[misc]  # the default binds it

    async def ask(self, role: str, command: str) -> Json:
        """Have somebody send a command that is well-shaped, whoever they are."""
        fields: dict[str, Any] = dict(FIELDS.get(command, {}))
        if command in ("reveal", "turn"):
            game = self.roles["host"].model.game
            fields["n"] = 1 if game is None else game["n"] + 1
        return await self.roles[role].command(command, **fields)

    async def whole(self) -> Json:
        """Return all that the host is told of the table."""
        host = self.roles["host"]
        await accepted(host, "sync")
        assert host.tape is not None
        return {**host.tape.frames("snapshot")[-1], "serverTime": 0}

    async def close(self) -> None:
        for player in self.roles.values():
            await player.close()


@pytest.mark.parametrize(("phase", "role"), list(itertools.product(PHASES, ROLES)))
async def test_who_may_do_what(pair: tuple[Worker, Worker], party: Party, phase: str, role: str) -> None:
    scene = Scene(party, pair)
    await scene.set(phase)
    wanted = dict(cells(role, phase))
    before = await scene.whole()
    for command in (command for command, code in wanted.items() if code != "ok"):
        answer = await scene.ask(role, command)
        assert (answer["ok"], answer.get("code")) == (False, wanted[command]), f"{role}'s {command}: {answer}"
        assert answer["message"]
        assert await scene.whole() == before, f"{role}'s {command} was refused, and changed the table"
    allowed = [command for command, code in wanted.items() if code == "ok"]
    for command in sorted(allowed, key=lambda command: command in ENDS_IT):
        if command in ENDS_IT:
            await scene.close()
            scene = Scene(party, pair)
            await scene.set(phase)
        answer = await scene.ask(role, command)
        assert answer["ok"] is True, f"{role}'s {command}: {answer}"


@pytest.mark.parametrize("phase", PHASES)
async def test_a_removed_guest_sees_nothing_more(pair: tuple[Worker, Worker], party: Party, phase: str) -> None:
    scene = Scene(party, pair)
    await scene.set(phase)
    removed = scene.roles["removed"]
    await removed.close()
    for base in scene.bases:
        with pytest.raises(RefusedError) as refusal:
            await removed.open(base)
        assert refusal.value.code == "removed"
        for what in ("log", "receipts"):
            status, _, _ = await removed.request(base, "GET", f"/api/tables/{removed.table}/{what}")
            assert status == 403


def test_every_command_is_in_the_table() -> None:
    """Those of the contract but voice and signal."""
    commands = {line.split()[0] for line in MATRIX.strip().splitlines()[1:]}
    named = (
        "sit leave rename nonce start reveal auto ready turn stop hurry say unsay mute remove lock host settings "
        "delete pause nudge move claim sync"
    )
    assert commands == {*named.split()}
