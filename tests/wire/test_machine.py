"""Two to six people and watchers, over real sockets at two workers, do whatever Hypothesis thinks of.

After each step the history checker looks over everything that anybody saw. `RM_MACHINE` examples (by itself a few, for
`make test`), of `RM_MACHINE_STEPS` steps each. What happens in real time cannot be replayed exactly, so nothing is
shrunk: a failure shows the steps that led to it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.wire.conftest import lending
from tests.wire.crowd import NOT_YET, Act, Crowd
from tests.wire.processes import Worker

EXAMPLES = int(os.environ.get("RM_MACHINE", "10"))
STEPS = int(os.environ.get("RM_MACHINE_STEPS", "40"))

NAMES = st.sampled_from(["Asha", "asha", "বেলা", "র\u200c্যাব", "👩‍👩‍👧‍👦", "", "  ", "7H", "x" * 24])
LINES = st.sampled_from(["hello", "হ্যাঁ!", "<b>7H</b>", "👩‍👩‍👧‍👦" * 20, "a\nb", "x" * 200, "x" * 201, "\u202e", ""])
PHRASES = st.sampled_from(["hello", "well_done", "ha_ha", "clap", "flower"])
SEATS = st.integers(0, 5)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "seats": st.integers(2, 8),
        "deck": st.sampled_from(["standard", "leftovers", "double"]),
        "length": st.sampled_from(["any", "short"]),
        "chat": st.sampled_from(["open", "open", "phrases", "off"]),
        "watchers": st.sampled_from([True, True, True, True, False]),
        "locked": st.booleans(),
        "pace": st.sampled_from([0.5, 1, 2]),
    },
)


def acts(name: str, /, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Act]:
    if name in NOT_YET:
        return st.nothing()
    return st.tuples(st.just(name), st.fixed_dictionaries(fields))


# What is here twice happens more often.
ACTS = st.one_of(
    acts("reveal"),
    acts("reveal", ahead=st.integers(0, 1)),
    acts("auto", on=st.booleans()),
    acts("sit"),
    acts("sit", name=NAMES, seat=SEATS),
    acts("leave"),
    acts("rename", name=NAMES),
    acts("nonce", nonce=st.sampled_from(["0" * 32, "a" * 32, "0123456789abcdef" * 2])),
    acts("start"),
    acts("start"),
    acts("ready"),
    acts("stop"),
    acts("sync", fresh=st.booleans()),
    acts("settings", settings=CHANGES),
    acts("lock", on=st.sampled_from([False, False, True])),
    acts("mute", seat=SEATS, on=st.booleans()),
    acts("remove", seat=SEATS),
    acts("host", seat=SEATS),
    acts("say", text=LINES),
    acts("say", phrase=PHRASES),
    acts("unsay", back=st.integers(0, 5)),
    acts("turn"),
    acts("hurry", on=st.just(True)),
    acts("hurry", on=st.booleans()),
    acts("pause", on=st.booleans()),
    acts("nudge"),
    acts("move"),
    acts("claim"),
)
GUESTS = st.integers(0, 5)
WORKERS = st.integers(0, 1)


class Machine(RuleBasedStateMachine):
    """A crowd, and the rules of what may happen to it; at most six guests, some of them never come."""

    bases: tuple[str, str]

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.crowd = Crowd(self.bases)

    def run(self, *doings: Awaitable[Any]) -> None:
        async def together() -> None:
            await asyncio.gather(*doings)

        self.loop.run_until_complete(together())

    @initialize(
        ways=st.lists(st.sampled_from(["websocket", "websocket", "websocket", "polling"]), min_size=2, max_size=6),
        kind=st.sampled_from(["people", "people", "people", "people", "computers"]),
        seats=st.integers(2, 6),
        sits=st.integers(1, 5),
        started=st.booleans(),
    )
    def begin(self, ways: Any, kind: str, seats: int, sits: int, started: bool) -> None:
        self.run(self.crowd.begin(ways, kind=kind, seats=seats, deck="leftovers"))
        for number, guest in enumerate(self.crowd.guests[1 : sits + 1]):
            self.run(self.crowd.join(guest, self.bases[number % 2]))
            if guest.tab is not None:
                self.run(self.crowd.act(guest.tab, "sit", {"name": guest.name}, guest))
        if started:
            self.run(self._act(0, ("start", {})))

    @rule(who=GUESTS, at=WORKERS, fresh=st.booleans())
    def join(self, who: int, at: int, fresh: bool) -> None:
        self.run(self.crowd.join(self._guest(who), self.bases[at], fresh=fresh))

    @rule(who=GUESTS, act=ACTS)
    def act(self, who: int, act: Act) -> None:
        self.run(self._act(who, act))

    @rule(doings=st.lists(st.tuples(GUESTS, ACTS), min_size=2, max_size=5))
    def race(self, doings: list[tuple[int, Act]]) -> None:
        """All at once."""
        self.run(*(self._act(who, act) for who, act in doings))

    @rule(act=ACTS)
    def host_acts(self, act: Act) -> None:
        """Mostly only the host may, and one of six is the host."""
        hosts = [g for g in self.crowd.guests if g.tab is not None and g.tab.model.you == g.tab.model.host]
        for guest in hosts[:1]:
            assert guest.tab is not None
            self.run(self.crowd.act(guest.tab, *act, guest))

    @rule(who=GUESTS)
    def ask_again(self, who: int) -> None:
        self.run(self.crowd.again(self._guest(who)))

    @rule(most=st.integers(1, 15))
    def taps(self, most: int) -> None:
        self.run(self.crowd.taps(most))

    @rule(who=GUESTS, goodbye=st.booleans())
    def go(self, who: int, goodbye: bool) -> None:
        for tab in self._guest(who).tabs[-1:]:
            self.run(tab.close() if goodbye else tab.drop())

    @rule(who=GUESTS, at=WORKERS)
    def another_tab(self, who: int, at: int) -> None:
        self.run(self.crowd.another_tab(self._guest(who), self.bases[at]))

    @rule(who=GUESTS, act=ACTS)
    def an_old_tab_acts(self, who: int, act: Act) -> None:
        for tab in self._guest(who).tabs[:-1]:
            if tab.connected:
                self.run(self.crowd.act(tab, *act))
                return

    @rule(at=WORKERS, act=ACTS)
    def watch(self, at: int, act: Act) -> None:
        """Somebody without a cookie looks on, and tries something."""

        async def look_on() -> None:
            stranger = await self.crowd.watch(self.bases[at])
            await self.crowd.act(stranger, *act)
            await stranger.close()

        self.run(look_on())

    @rule(ms=st.sampled_from([5, 50, 400]))
    def wait(self, ms: int) -> None:
        self.run(asyncio.sleep(ms / 1000))

    @invariant()
    def nothing_is_lost(self) -> None:
        if self.crowd.table:
            self.run(self.crowd.look())

    def teardown(self) -> None:
        try:
            if self.crowd.table:
                self.run(self.crowd.finish())
        finally:
            self.run(self.crowd.leave())
            self.run(asyncio.sleep(0))
            self.loop.close()

    def _guest(self, who: int) -> Any:
        return self.crowd.guests[who % len(self.crowd.guests)]

    async def _act(self, who: int, act: Act) -> None:
        guest = self._guest(who)
        if guest.tab is not None:
            await self.crowd.act(guest.tab, *act, guest)


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Worker, Worker]]:
    """Two workers on one store where nobody waits long."""
    with lending(tmp_path_factory, away_ms="300", host_ms="500", idle_ms="300", nudge_ms="100") as workers:
        yield workers


@pytest.mark.timeout(60 + 60 * EXAMPLES)
def test_whatever_people_do(hasty: tuple[Worker, Worker]) -> None:
    class AtTheseWorkers(Machine):
        bases = (hasty[0].base, hasty[1].base)

    run_state_machine_as_test(
        AtTheseWorkers,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            print_blob=False,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate,),
        ),
    )
