"""A worker's life: store, sockets, application, and an end that hangs on nothing.

Wiring only. Invariant: once told to end, it refuses what is new before it lets go of anything, and every step
of the end has its time.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
from collections.abc import Callable, Coroutine
from typing import Any

import structlog
from aiohttp import web

from server.config import Config
from server.listening import listen
from server.store.launcher import Embedded, LaunchError, launch
from server.store.valkey import ValkeyStore
from server.tally import Tally
from server.transport.http import create_app, make_runner
from server.transport.keys import Health
from server.transport.sockets import Sockets

log = structlog.get_logger(__name__)

DRAIN_WITHIN_S = 3.3
CLOSE_WITHIN_S = 1.2  # more than http.END_S: cut short, it would leave connections open
STORE_WITHIN_S = 0.5
WATCH_EVERY_S = 0.25
RELAUNCH_AFTER_S = 1.0


def serve(config: Config, say: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; `say` is given the URL, once people can come. Call from the main thread.

    Raises:
        LaunchError: the embedded store cannot be started.
        StoreDownError: an outside store does not answer.
        OSError: the port is taken, or the host is not this machine's.
    """
    listening = listen(config.host, config.port)
    embedded: Embedded | None = None
    try:
        # Before any loop: the kernel ends the store with the thread that started it.
        if config.redis_url is None:
            embedded = launch(config.data_dir, fsync=config.fsync)
        _run(_live(config, embedded, listening, say))
    finally:
        for each in listening:
            each.close()
        if embedded is not None:
            embedded.stop()


def _run(life: Coroutine[Any, Any, None]) -> None:
    try:
        import uvloop
    except ImportError:
        asyncio.run(life)
    else:
        uvloop.run(life)


async def _live(
    config: Config, embedded: Embedded | None, listening: list[socket.socket], say: Callable[[str], None]
) -> None:
    told = _told_to_end()
    url = config.redis_url or (embedded.url if embedded else "")
    tally = Tally()
    store = await ValkeyStore.connect(url, wait_replicas=config.wait_replicas, tally=tally)
    watch = asyncio.create_task(_keep_running(config, embedded)) if embedded else None
    sockets, health = Sockets(config, store, tally), Health()
    runner = make_runner(create_app(config, store, sockets, health))
    try:
        await runner.setup()
        for each in listening:
            await web.SockSite(runner, each).start()
        _settle_collector()
        say(public_address(config, listening[0].getsockname()[1]))
        await told.wait()
        health.draining = True
        log.info("draining")
        await _within(DRAIN_WITHIN_S, "drain", sockets.drain())
    finally:
        await _within(CLOSE_WITHIN_S, "close", runner.cleanup())
        if watch is not None:
            watch.cancel()
        await _within(STORE_WITHIN_S, "store", store.close())
        log.info("ended")


def _told_to_end() -> asyncio.Event:
    """Return an event that the first SIGTERM or SIGINT sets; a second one ends the process at once."""
    told, loop = asyncio.Event(), asyncio.get_running_loop()

    def end(number: int) -> None:
        if told.is_set():
            os._exit(128 + number)
        told.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end, number)
    return told


async def _within(seconds: float, step: str, work: Coroutine[Any, Any, None]) -> None:
    try:
        async with asyncio.timeout(seconds):
            await work
    except TimeoutError:
        log.warning("end_took_too_long", step=step)
    except Exception:
        log.exception("end_failed", step=step)


async def _keep_running(config: Config, embedded: Embedded) -> None:
    """Start the embedded store anew should it end; its files have what was acknowledged."""
    process = embedded
    try:
        while True:
            await asyncio.sleep(WATCH_EVERY_S)
            if process.running:
                continue
            log.error("embedded_store_ended")
            try:
                process = launch(config.data_dir, fsync=config.fsync)
            except LaunchError as error:
                log.error("embedded_store_not_started", why=str(error))
                await asyncio.sleep(RELAUNCH_AFTER_S)
    finally:
        if process is not embedded:
            process.stop()


def _settle_collector() -> None:
    # Untuned, it walked a thousand tables' state over and over: p50 went from under 1 ms to over 1 s. So the oldest
    # are all but never walked; and the young often, since a hundred thousand at once, as 350 arrivals leave, held
    # everybody up for 60 ms; but not every 2,000, which was a tenth of a reveal.
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 2, 10_000)


def public_address(config: Config, port: int) -> str:
    """Return what to type into a browser on this machine, or the public URL."""
    if config.public_url is not None:
        return config.public_url
    host = {"0.0.0.0": "localhost", "::": "localhost"}.get(config.host, config.host)  # noqa: S104 (compared, not bound)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
