"""What goes wrong, one thing at a time: each does it to the deployment, undoes it, and says whether it had an effect.

Invariant: after a fault everything runs again.
"""

from __future__ import annotations

import asyncio
import random
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tests.cluster.cluster import Cluster
from tests.wire.client import Player
from tests.wire.proxy import Proxy, script


@dataclass(frozen=True, slots=True)
class World:
    """The deployment, a proxy for each worker before the store, everybody who plays, and the dice."""

    cluster: Cluster
    proxies: list[Proxy]
    players: list[Player]
    dice: random.Random

    def which(self) -> int:
        """Return a worker's number."""
        return self.dice.randrange(len(self.cluster.workers))


async def kill(world: World) -> bool:
    """Kill a worker, and start it again a second later."""
    which = world.which()
    world.cluster.kill(which)
    ended = not world.cluster.workers[which].running
    await asyncio.sleep(1)
    await world.cluster.restart(which)
    return ended


async def drain(world: World) -> bool:
    """Tell a worker to end, and start it again."""
    which = world.which()
    ended = await world.cluster.drain(which) == 0
    await world.cluster.restart(which)
    return ended


async def rolling(world: World) -> bool:
    """Restart all workers by drain, one after the other."""
    ended = True
    for which in range(len(world.cluster.workers)):
        ended = await world.cluster.drain(which) == 0 and ended
        await world.cluster.restart(which)
        await asyncio.sleep(1.1)  # until the edge has seen that it is there
    return ended


async def store_killed(world: World) -> bool:
    """Kill the store, and start it again."""
    world.cluster.store.kill()
    ended = not world.cluster.store.running
    await asyncio.sleep(world.dice.uniform(0.2, 1.5))
    world.cluster.store.start()
    await asyncio.to_thread(world.cluster.store.ready)
    return ended


async def store_stalled(world: World) -> bool:
    """Stop the store for one to three seconds."""
    world.cluster.store.send(signal.SIGSTOP)
    await asyncio.sleep(world.dice.uniform(1, 3))
    world.cluster.store.send(signal.SIGCONT)
    return world.cluster.store.running


async def links_cut(world: World) -> bool:
    """Cut a worker off from the store for a while."""
    proxy = world.dice.choice(world.proxies)
    await proxy.cut()
    await asyncio.sleep(world.dice.uniform(0.5, 3))
    proxy.restore()
    return True


async def replies_lost(world: World) -> bool:
    """Lose the store's answers to some commits, which are done."""
    lost = [proxy.drop_reply(script('"revealed"')) for proxy in world.proxies]
    await asyncio.sleep(2)
    for fault in lost:
        fault.times = fault.met
    return any(fault.met for fault in lost)


async def messages_lost(world: World) -> bool:
    """Lose published messages without a sign, and end every subscriber's link."""
    lost = [proxy.lose_push(times=3) for proxy in world.proxies]
    await asyncio.sleep(1)
    for fault in lost:
        fault.times = fault.met
    world.cluster.store.kill_pubsub()
    return any(fault.met for fault in lost)


async def scripts_forgotten(world: World) -> bool:
    """Have the store forget its scripts, again and again."""
    for _ in range(10):
        world.cluster.store.ask("SCRIPT", "FLUSH")
        await asyncio.sleep(0.1)
    return True


async def people_lost(world: World) -> bool:
    """Cut the connections of every fifth person."""
    connected = [player for player in world.players if player.connected]
    gone = world.dice.sample(connected, len(connected) // 5)
    for player in gone:
        await player.drop()
    return bool(gone)


async def edge_reloaded(world: World) -> bool:
    """Have the edge read its configuration again."""
    await world.cluster.edge.reload()
    return world.cluster.edge.running


FAULTS: dict[str, Callable[[World], Awaitable[bool]]] = {
    "worker killed": kill,
    "worker drained": drain,
    "rolling restart": rolling,
    "store killed": store_killed,
    "store stalled": store_stalled,
    "links cut": links_cut,
    "replies lost": replies_lost,
    "messages lost": messages_lost,
    "scripts forgotten": scripts_forgotten,
    "people lost": people_lost,
    "edge reloaded": edge_reloaded,
}
