"""What a decision sees of the world: of one moment, the same each time it is looked at, also from another thread."""

from __future__ import annotations

import asyncio
import dataclasses

from server.rooms.context import LiveContext
from server.rooms.decision import Drawn
from tests.server.rooms.house import Worker, seated


async def test_it_has_all_that_a_decision_may_need_and_keeps_it(worker: Worker) -> None:
    asha, _ = await seated(worker)
    context = LiveContext(asha.live, "asha", "bn")
    names = [field.name for field in dataclasses.fields(Drawn)]
    seen = {name: getattr(context, name) for name in names}
    assert (seen["guest"], seen["language"], seen["present"]) == ("asha", "bn", frozenset({0, 1}))
    assert (len(seen["fresh_seed"]), len(seen["fresh_id"])) == (64, 32)
    assert {name: getattr(context, name) for name in names} == seen
    assert LiveContext(asha.live, "asha").fresh_seed != context.fresh_seed


async def test_it_is_of_its_moment_wherever_it_is_looked_at(worker: Worker) -> None:
    asha, bula = await seated(worker)
    context = LiveContext(asha.live, "asha")
    await bula.leave()
    assert await asyncio.to_thread(lambda: context.present) == frozenset({0, 1})
    assert LiveContext(asha.live, "asha").present == frozenset({0})
