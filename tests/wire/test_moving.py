"""A seat moves to another device (contract, section 6: `move`, `claim`), with the people at two workers."""

from __future__ import annotations

import asyncio

import pytest

from tests.wire.asking import accepted, refused
from tests.wire.client import Player, RefusedError
from tests.wire.conftest import Floor, Party
from tests.wire.processes import Worker

Pair = tuple[Worker, Worker]


async def link(player: Player, base: str, floor: Floor) -> str:
    """Ask for a link, which must be this table's; return its token, which no log may have."""
    answer = await accepted(player, "move")
    where, token = answer["url"].split("#seat=")
    assert where == f"{base}/t/{player.table}"
    assert set(token) <= set("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_")
    assert len(token) >= 22, "128 bits"
    floor.secrets.add(token)
    return str(token)


async def arrived(party: Party, base: str, table: str, token: str | None = None) -> Player:
    """Open the table on a device that was never here, by a link's `token` if one is given."""
    device = party.player("Device")
    await device.open(base, table, token=token)
    return device


def notices(player: Player) -> list[str]:
    assert player.tape is not None
    return [notice["code"] for notice in player.tape.frames("notice")]


@pytest.mark.parametrize("way", ["websocket", "polling"])
async def test_a_seat_moves_in_mid_game_and_the_game_goes_on(pair: Pair, party: Party, floor: Floor) -> None:
    asha, bela = await party.started(pair[0].base, pair[0].base, deck="leftovers")
    token = await link(bela, pair[0].base, floor)
    phone = await arrived(party, pair[1].base, asha.table)
    assert phone.model.you is None
    answer = await accepted(phone, "claim", token=token, id="claim")
    assert answer["seat"] == 1
    await phone.until(lambda: phone.model.you == 1)
    await bela.until(lambda: bela.model.you is None)
    assert notices(bela) == []
    await refused(bela, "not_seated", "rename", name="Still Bela")
    assert await phone.command("claim", token=token, id="claim") == answer
    await refused(bela, "stale_link", "claim", token=token)
    await asyncio.gather(asha.play(), phone.play())
    await bela.until(lambda: bela.model.phase == "over")
    history = await party.judge(pair[1].base)
    assert history.of_type("away") == history.of_type("left") == []
    assert {event["by"] for event in history.of_type("revealed")} == {"self"}


@pytest.mark.parametrize("phase", ["lobby", "over"])
async def test_a_host_moves_between_games_and_is_host_there(pair: Pair, party: Party, floor: Floor, phase: str) -> None:
    make = party.seated if phase == "lobby" else party.started
    asha, bela = await make(pair[0].base, pair[1].base, watchers=False)
    if phase == "over":
        await accepted(asha, "stop")
        await bela.until(lambda: bela.model.phase == "over")
        await accepted(bela, "ready")
    await accepted(asha, "nonce", nonce="9" * 32)
    token = await link(asha, pair[0].base, floor)
    await bela.reach(asha.model.seq)
    phone = await arrived(party, pair[1].base, asha.table, token)
    await accepted(phone, "claim", token=token)
    await phone.until(lambda: phone.model.you == 0)
    # Nobody may watch here, and there is no seat left for the old device.
    await asha.until(lambda: notices(asha) == ["closed"])
    answer = await asha.command("start")
    assert answer["code"] == "closed"
    await asha.close()
    # What the maker of a table may, may the maker's new device.
    await accepted(phone, "settings", settings={"watchers": True, "chat": "phrases"})
    await accepted(phone, "settings", settings={"chat": "open"})
    await accepted(phone, "start")
    await bela.until(lambda: bela.model.phase == "playing")
    assert bela.game["nonces"][0] == "9" * 32
    await party.judge(complete=False)


async def test_of_two_who_open_a_link_at_once_one_has_the_seat(pair: Pair, party: Party, floor: Floor) -> None:
    asha, holder = await party.seated(pair[0].base, pair[1].base)
    for _ in range(5):
        token = await link(holder, holder._base, floor)
        devices = [await arrived(party, base.base, asha.table) for base in pair]
        answers = await asyncio.gather(*(device.command("claim", token=token) for device in devices))
        assert sorted(answer.get("code", "seated") for answer in answers) == ["seated", "stale_link"]
        won, lost = sorted(devices, key=lambda device: not answers[devices.index(device)]["ok"])
        await won.until(lambda won=won: won.model.you == 1)  # type: ignore[misc]  # the default binds it
        assert lost.model.you is None
        await lost.close()
        await holder.until(lambda holder=holder: holder.model.you is None)  # type: ignore[misc]  # the default binds it
        await holder.close()
        holder = won
    await party.judge()


async def test_the_newest_link_counts_and_the_seated_take_none(pair: Pair, party: Party, floor: Floor) -> None:
    asha, bela = await party.seated(pair[0].base, pair[1].base)
    first = await link(bela, pair[1].base, floor)
    second = await link(bela, pair[1].base, floor)
    assert first != second
    phone = await arrived(party, pair[0].base, asha.table)
    await refused(phone, "not_seated", "move")
    await refused(phone, "stale_link", "claim", token=first)
    await refused(phone, "stale_link", "claim", token="made-up")
    await refused(phone, "bad_request", "claim", token="")
    await refused(asha, "not_allowed", "claim", token=second)
    before = bela.model.seq
    assert (await accepted(bela, "claim", token=second))["seat"] == 1
    assert bela.model.seq == before
    stranger = party.player("Stranger")
    stranger.table = asha.table
    await stranger.connect(pair[0].base, headers={})
    await refused(stranger, "no_cookie", "claim", token=second)
    await accepted(phone, "claim", token=second)
    await party.judge()


async def test_a_claim_brings_back_who_is_away(floor: Floor, party: Party) -> None:
    one, two = await floor.add(away_ms="200"), await floor.add(away_ms="200")
    asha, bela = await party.started(one.base, two.base)
    token = await link(bela, two.base, floor)
    await bela.drop()
    assert asha.tape is not None
    tape = asha.tape
    await asha.until(lambda: bool(tape.events("away")))
    phone = await arrived(party, two.base, asha.table)
    await accepted(phone, "claim", token=token)
    await asha.until(lambda: bool(tape.events("back")))
    await asyncio.sleep(0.6)
    assert (len(tape.events("away")), len(tape.events("back"))) == (1, 1)
    # The old device comes back to no seat, and takes nobody's.
    await bela.reopen(one.base)
    assert bela.model.you is None
    await refused(bela, "already_started", "sit")
    await party.judge(complete=False)


async def test_a_link_lets_its_user_in_where_nobody_may_watch(pair: Pair, party: Party, floor: Floor) -> None:
    asha, bela = await party.started(pair[0].base, pair[1].base, watchers=False)
    with pytest.raises(RefusedError):
        await arrived(party, pair[0].base, asha.table)
    token = await link(bela, pair[1].base, floor)
    for wrong in (None, token[:-1]):
        with pytest.raises(RefusedError):
            await arrived(party, pair[0].base, asha.table, wrong)
    phone = await arrived(party, pair[0].base, asha.table, token)
    await accepted(phone, "claim", token=token)
    await bela.until(lambda: notices(bela) == ["closed"])
    await bela.close()
    for who in ("the old device", "a stranger"):
        with pytest.raises(RefusedError) as refusal:
            await (bela.open(pair[1].base) if who == "the old device" else arrived(party, pair[1].base, asha.table))
        assert refusal.value.code == "closed", who
    assert phone.connected
    await party.judge(complete=False)


async def test_who_was_removed_comes_back_by_no_device_that_the_seat_came_from(
    pair: Pair, party: Party, floor: Floor
) -> None:
    asha, bela = await party.seated(pair[0].base, pair[1].base, seats=4)
    phone = await arrived(party, pair[0].base, asha.table)
    await accepted(phone, "claim", token=await link(bela, pair[1].base, floor))
    await bela.until(lambda: bela.model.you is None)
    await accepted(asha, "remove", seat=1)
    for device in (bela, phone):
        await device.until(lambda device=device: notices(device) == ["removed"])  # type: ignore[misc]
        answer = await device.command("sit")
        assert answer["code"] == "removed"
        await device.close()
        with pytest.raises(RefusedError) as refusal:
            await device.open(pair[1].base)
        assert refusal.value.code == "removed"
    await party.judge()


async def test_who_was_removed_comes_back_by_no_link(pair: Pair, party: Party, floor: Floor) -> None:
    asha, bela, chitra = await party.started(pair[0].base, pair[1].base, pair[1].base)
    hers, another = await link(bela, pair[1].base, floor), await link(chitra, pair[1].base, floor)
    await accepted(asha, "remove", seat=1)
    await bela.until(lambda: notices(bela) == ["removed"])
    answer = await bela.command("claim", token=another)
    assert answer["code"] == "removed"
    other_device = await arrived(party, pair[0].base, asha.table)
    await refused(other_device, "stale_link", "claim", token=hers)
    await party.judge()
