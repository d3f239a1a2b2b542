"""What a room does in the background: it ends quietly, and a store that was away is read again."""

from __future__ import annotations

import asyncio

import pytest

from server.ports import Stored, StoreDownError, StoreFullError
from server.store.valkey import ValkeyStore
from tests.server.rooms.house import Worker, seated
from tests.server.store.helpers import until


async def test_a_store_that_is_away_is_read_until_it_answers_and_all_are_told(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    asha, bula = await seated(worker, seats=2)
    read, tries = ValkeyStore.read, 0

    async def failing(
        self: ValkeyStore, table: str, known_seq: int | None = None, *, said: bool = False
    ) -> Stored | None:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise StoreDownError("away")
        return await read(self, table, known_seq, said=said)

    monkeypatch.setattr(ValkeyStore, "read", failing)

    async def away() -> None:
        raise StoreDownError("away")

    asha.live.spawn(away())
    asha.live.repair()  # one at a time
    for person in (asha, bula):
        await until(lambda person=person: len(person.ears.all("notice")) == 2)  # type: ignore[misc]
        assert [notice["code"] for notice in person.ears.all("notice")] == ["store_down", "store_back"]
    assert tries == 3


async def test_who_waited_for_the_store_in_vain_is_told_before_it_is_read_again(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read is given up only after seconds: nobody waits for those too."""
    asha, _ = await seated(worker, seats=2)
    reading = asyncio.Event()
    read = ValkeyStore.read

    async def hanging(
        self: ValkeyStore, table: str, known_seq: int | None = None, *, said: bool = False
    ) -> Stored | None:
        await reading.wait()
        return await read(self, table, known_seq, said=said)

    monkeypatch.setattr(ValkeyStore, "read", hanging)
    asha.live.repair(down=True)
    await until(lambda: asha.ears.all("notice") == [{"code": "store_down"}])
    reading.set()
    await until(lambda: asha.ears.all("notice") == [{"code": "store_down"}, {"code": "store_back"}])


async def test_what_fails_is_logged_and_hurts_nothing(
    worker: Worker, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    asha, _ = await seated(worker, seats=2)

    async def wrong() -> None:
        raise RuntimeError("this")

    await asha.live.spawn(wrong())
    # Printed, or sent to the log that another test of this process has set up.
    assert "a room's task failed" in capsys.readouterr().out + caplog.text
    assert asha.live.stop() == set()


async def test_what_is_under_way_at_the_end_is_told(worker: Worker) -> None:
    asha, _ = await seated(worker, seats=2)
    gate = asyncio.Event()

    async def waiting() -> None:
        await gate.wait()

    task = asha.live.spawn(waiting())
    assert task in asha.live.stop()
    gate.set()
    await task


async def test_a_store_that_is_full_is_not_said_to_be_down(worker: Worker) -> None:
    """It answers, and at every beat again: people would be told that it is away and back all the while."""
    asha, _ = await seated(worker, seats=2)

    async def full() -> None:
        raise StoreFullError("MISCONF")

    await asha.live.spawn(full())
    await asyncio.sleep(0.1)
    assert not asha.ears.all("notice")
