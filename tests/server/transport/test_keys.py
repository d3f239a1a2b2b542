"""What handlers find in the application."""

from __future__ import annotations

from server.config import Config
from server.store.valkey import ValkeyStore
from server.transport.http import create_app
from server.transport.keys import CONFIG, HEALTH, STORE, Health


async def test_the_application_carries_what_it_was_given(store: ValkeyStore) -> None:
    config, health = Config(), Health()
    app = create_app(config, store, health_=health)
    assert (app[CONFIG], app[STORE], app[HEALTH]) == (config, store, health)


def test_each_worker_counts_for_itself() -> None:
    assert Health().registry is not Health().registry
    assert not Health().draining
