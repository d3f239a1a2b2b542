"""commit.lua: the contract of a commit, on the real store."""

from __future__ import annotations

import asyncio
import hashlib
import json
from dataclasses import replace
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.asyncio import Redis

from server.ports import Clash, Committed, Done, Early, Gone, Guard, Here
from server.store.valkey import ValkeyStore
from tests.server.store.helpers import (
    EPOCH,
    TABLE,
    Ear,
    a_commit,
    a_line,
    committed,
    open_table,
    until,
)


async def test_it_saves_frames_and_publishes(store: ValkeyStore) -> None:
    first = await open_table(store)
    ear = Ear()
    await store.subscribe(TABLE, ear)
    events = '[{"type":"ready","seat":0}]'
    state = bytes(range(256)) * 3
    done = committed(await store.commit(a_commit(events=events, state=state, due=1500)))
    assert done.batch.previous_mark == first.mark
    assert done.batch.mark == hashlib.sha1((first.mark + events).encode()).hexdigest()[:16]
    frame = json.loads(done.batch.frame)
    assert frame == {
        "epoch": EPOCH,
        "seq": 2,
        "mark": done.batch.mark,
        "at": done.head.now,
        "events": json.loads(events),
    }
    assert (done.head.seq, done.head.ver, done.head.mark) == (2, 2, done.batch.mark)
    assert done.head.due == done.head.now + 1500
    stored = await store.read(TABLE, 1)
    assert stored is not None
    assert stored.state == state
    assert stored.batches == (done.batch,)
    assert replace(stored.head, now=done.head.now) == done.head
    await until(lambda: bool(ear.published))
    (heard,) = ear.published
    assert (heard.batch, heard.head, heard.state) == (done.batch, done.head, state)
    assert heard.worker == store.worker


async def test_of_two_racers_one_wins_and_the_other_decides_again(store: ValkeyStore) -> None:
    first = await open_table(store)
    outcomes = await asyncio.gather(*(store.commit(a_commit(state=f"by {i}".encode())) for i in range(20)))
    winners = [o for o in outcomes if isinstance(o, Committed)]
    clashes = [o for o in outcomes if isinstance(o, Clash)]
    assert (len(winners), len(clashes)) == (1, 19)
    for clash in clashes:
        assert clash.stored.head.ver == 2
        assert clash.stored.state == f"by {outcomes.index(winners[0])}".encode()
        assert clash.stored.batches == (winners[0].batch,)
        assert clash.stored.epoch == EPOCH
    assert winners[0].batch.previous_mark == first.mark


async def test_a_repeated_command_is_done_once_and_answered_the_same(store: ValkeyStore) -> None:
    await open_table(store)
    sit = a_commit(guest="g", cmd="c1", answer='{"seat":1,"name":"মিতা"}')
    first = committed(await store.commit(sit))
    again = await store.commit(replace(sit, expect_ver=99, state=b"other"))
    asked = await store.done(TABLE, "g", "c1")
    for answer in (again, asked):
        assert isinstance(answer, Done)
        assert (answer.seq, answer.answer) == (first.head.seq, '{"seat":1,"name":"মিতা"}')
    assert await store.done(TABLE, "g", "c2") is None
    assert await store.done(TABLE, "h", "c1") is None
    # Another guest's same id is another command.
    assert isinstance(await store.commit(a_commit(2, guest="h", cmd="c1")), Committed)


async def test_the_newest_sixteen_commands_of_a_guest_are_remembered(store: ValkeyStore) -> None:
    await open_table(store)
    for n in range(20):
        committed(await store.commit(a_commit(n + 1, guest="g", cmd=f"c{n}", answer=f'{{"n":{n}}}')))
    remembered = [n for n in range(20) if await store.done(TABLE, "g", f"c{n}")]
    assert remembered == list(range(4, 20))
    answer = await store.done(TABLE, "g", "c4")
    assert answer is not None
    assert (answer.seq, answer.answer) == (6, '{"n":4}')


async def test_a_line_of_chat_moves_no_version(store: ValkeyStore) -> None:
    await open_table(store)
    said = '{"type":"said","id":"m1","text":"\\"at\\":null","at":null}'
    line = a_line(guest="g", cmd="say1", events=f"[{said}]", said=said)
    done = committed(await store.commit(line))
    assert (done.head.seq, done.head.ver) == (2, 1)
    event = json.loads(done.batch.frame)["events"][0]
    assert event == {"type": "said", "id": "m1", "text": '"at":null', "at": done.head.now}
    assert isinstance(await store.commit(line), Done)
    assert isinstance(await store.commit(a_commit(1)), Committed)
    stored = await store.read(TABLE, said=True)
    assert stored is not None
    assert [json.loads(s) for s in stored.said] == [event]
    without = await store.read(TABLE)
    assert without is not None
    assert without.said == ()


async def test_a_line_of_chat_clashes_where_it_was_allowed_by_another_version(store: ValkeyStore) -> None:
    await open_table(store)
    said = '{"type":"said","id":"m1","at":null}'
    committed(await store.commit(a_line(events=f"[{said}]", said=said, expect_ver=1)))
    committed(await store.commit(a_line(events="[]", said='{"id":"m2","at":null}', expect_ver=1)))
    muted = committed(await store.commit(a_commit(1, known_seq=3)))
    late = await store.commit(a_line(events="[]", said='{"id":"m3","at":null}', expect_ver=1, known_seq=3))
    assert isinstance(late, Clash)
    assert late.stored.batches == (muted.batch,)
    # Whoever has to start anew from a clash gets the lines of the same moment.
    assert [json.loads(line)["id"] for line in late.stored.said] == ["m1", "m2"]
    stored = await store.read(TABLE, said=True)
    assert stored is not None
    assert len(stored.said) == 2


async def test_no_state_is_saved_over_any_version(store: ValkeyStore) -> None:
    await open_table(store)
    assert isinstance(await store.commit(a_commit(None)), Clash)


async def test_fifty_lines_are_kept_and_one_can_be_taken_back(store: ValkeyStore) -> None:
    await open_table(store)
    for n in range(53):
        await store.commit(a_line(events="[]", said=f'{{"id":"m{n}","at":null}}'))
    await store.commit(a_line(events='[{"type":"unsaid","id":"m10"}]', unsaid="m10"))
    await store.commit(a_line(events="[]", unsaid="none such"))
    stored = await store.read(TABLE, said=True)
    assert stored is not None
    assert [json.loads(s)["id"] for s in stored.said] == [f"m{n}" for n in range(3, 53) if n != 10]


async def test_due_is_kept_set_and_cleared(store: ValkeyStore) -> None:
    await open_table(store)
    first = committed(await store.commit(a_commit(1, due=60_000))).head
    assert first.due == first.now + 60_000
    assert committed(await store.commit(a_commit(2))).head.due == first.due
    assert committed(await store.commit(a_commit(3, due=None))).head.due is None


async def test_since_is_when_the_due_was_set_whatever_else_is_said(store: ValkeyStore) -> None:
    await open_table(store)
    ear = Ear()
    await store.subscribe(TABLE, ear)
    turned = committed(await store.commit(a_commit(1, due=1500))).head
    assert turned.since == turned.now
    await asyncio.sleep(0.01)
    kept = committed(await store.commit(a_commit(2))).head
    line = committed(await store.commit(a_line(said='{"id":"l","at":null}', events='[{"id":"l","at":null}]'))).head
    assert (kept.since, line.since) == (turned.since, turned.since)
    clash = await store.commit(a_commit(1, due=None))
    assert isinstance(clash, Clash)
    assert clash.stored.head.since == turned.since
    never = committed(await store.commit(a_commit(3, due=None))).head
    assert never.since == never.now > turned.since
    stored, beat = await store.read(TABLE), await store.beat(TABLE, [], [])
    assert stored is not None
    assert beat is not None
    assert (stored.head.since, beat.head.since) == (never.since, never.since)
    await until(lambda: len(ear.published) == 4)
    assert [heard.head.since for heard in ear.published] == [turned.since] * 3 + [never.since]


async def test_a_table_of_a_release_that_kept_no_since_begins_now(store: ValkeyStore, admin: Redis) -> None:
    await open_table(store)
    await admin.hdel(f"t:{{{TABLE}}}", "since")
    stored = await store.read(TABLE)
    assert stored is not None
    assert stored.head.since == stored.head.now
    kept = committed(await store.commit(a_commit(1))).head
    assert kept.since == kept.now


async def test_a_timed_commit_is_refused_before_its_due(store: ValkeyStore) -> None:
    await open_table(store)
    early = await store.commit(a_commit(1, timed=True))
    assert isinstance(early, Early)
    assert early.due is None
    due = committed(await store.commit(a_commit(1, due=150))).head.due
    refused = await store.commit(a_commit(2, timed=True))
    assert isinstance(refused, Early)
    assert refused.due == due
    stored = await store.read(TABLE, 0)
    assert stored is not None
    assert stored.head.seq == 2
    await asyncio.sleep(0.16)
    assert isinstance(await store.commit(a_commit(2, timed=True, due=None)), Committed)


async def test_a_guarded_commit_yields_to_one_who_is_here(store: ValkeyStore) -> None:
    await open_table(store)
    arrived = await store.arrive(TABLE, "g", None, sitting=True)
    assert arrived is not None
    away = a_commit(1, guard=Guard("g", arrived.generation, 100))
    assert isinstance(await store.commit(away), Here)
    await asyncio.sleep(0.11)
    stale = replace(away, guard=Guard("g", arrived.generation - 1, 100))
    assert isinstance(await store.commit(stale), Here)
    assert isinstance(await store.commit(away), Committed)


async def test_a_guard_of_one_who_came_back_under_another_generation_holds(store: ValkeyStore) -> None:
    await open_table(store)
    old = await store.arrive(TABLE, "g", None, sitting=True)
    assert old is not None
    await store.leave(TABLE, "g", old.generation)
    await store.arrive(TABLE, "g", None)
    await asyncio.sleep(0.02)
    assert isinstance(await store.commit(a_commit(1, guard=Guard("g", old.generation, 10))), Here)


async def test_checks_go_by_their_order(store: ValkeyStore) -> None:
    await open_table(store)
    here = await store.arrive(TABLE, "g", None, sitting=True)
    assert here is not None
    guard = Guard("g", here.generation, 60_000)
    committed(await store.commit(a_commit(1, guest="g", cmd="c")))
    everything = a_commit(1, guest="g", cmd="c", timed=True, guard=guard)
    assert isinstance(await store.commit(everything), Done)
    assert isinstance(await store.commit(replace(everything, cmd="d")), Clash)
    assert isinstance(await store.commit(replace(everything, cmd="d", expect_ver=2)), Early)
    assert isinstance(await store.commit(replace(everything, cmd="d", expect_ver=2, timed=False)), Here)
    await store.delete(TABLE)
    assert isinstance(await store.commit(everything), Gone)


async def test_marks_chain_and_the_newest_128_batches_are_kept(store: ValkeyStore) -> None:
    batches = [await open_table(store)]
    for n in range(1, 141):
        outcome = await store.commit(a_commit(n, events=f'[{{"n":{n}}}]'))
        batches.append(committed(outcome).batch)
    for before, after in pairwise(batches):
        assert after.previous_mark == before.mark
        events = after.frame.split('"events":', 1)[1][:-1]
        assert after.mark == hashlib.sha1((before.mark + events).encode()).hexdigest()[:16]
    for known, kept in ((140, 1), (141, 0), (142, 0), (14, 127), (13, 128), (12, 128), (0, 128)):
        stored = await store.read(TABLE, known)
        assert stored is not None
        assert stored.batches == tuple(batches[141 - kept :])
    clash = await store.commit(a_commit(1, known_seq=139))
    assert isinstance(clash, Clash)
    assert clash.stored.batches == tuple(batches[139:])


async def test_receipts_are_kept_in_order(store: ValkeyStore) -> None:
    await open_table(store)
    assert await store.receipts(TABLE) == ()
    await store.commit(a_commit(1, receipt='{"game":1,"name":"মিতা"}'))
    await store.commit(a_commit(2))
    await store.commit(a_commit(3, receipt='{"game":2}'))
    assert await store.receipts(TABLE) == ('{"game":1,"name":"মিতা"}', '{"game":2}')


async def test_who_gives_a_seat_up_is_gone_in_the_same_step_and_once(store: ValkeyStore) -> None:
    await open_table(store)
    for guest in ("g", "h", "i"):
        await store.arrive(TABLE, guest, None, sitting=True)
    ear = Ear()
    await store.subscribe(TABLE, ear)
    commit = a_commit(guest="g", cmd="leave 1", freed=("g", "h", "nobody"))
    committed(await store.commit(commit))
    # They sit down again; the answer that was lost is asked for once more, and a clash frees nobody either.
    await store.arrive(TABLE, "g", None, sitting=True)
    assert isinstance(await store.commit(commit), Done)
    assert isinstance(await store.commit(a_commit(1, freed=("g",))), Clash)
    beat = await store.beat(TABLE, [], [])
    assert beat is not None
    assert set(beat.presence) == {"g", "i"}
    assert [gone for _, gone in ear.watching] == ["g", "h"]
    assert ear.published


async def test_an_expired_table_is_not_made_anew(store: ValkeyStore, admin: Redis) -> None:
    await open_table(store)
    await store.commit(a_commit(1, said='{"id":"m"}', receipt="{}", ttl_ms=60))
    await store.arrive(TABLE, "g", None, sitting=True)
    await store.arrive(TABLE, "w", None)
    await asyncio.sleep(0.08)
    assert isinstance(await store.commit(a_commit(2)), Gone)
    assert isinstance(await store.commit(a_line(guest="g", cmd="c")), Gone)
    assert await store.arrive(TABLE, "g", 1, sitting=True) is None
    assert await store.beat(TABLE, [("g", 1, 0)], ["w"]) is None
    assert await store.leave(TABLE, "g", 1) is False
    assert await store.read(TABLE) is None
    async with asyncio.timeout(5):
        while await admin.dbsize():  # noqa: ASYNC110 - the store sweeps ten times a second
            await asyncio.sleep(0.02)


async def test_every_commit_renews_the_life_of_every_key(store: ValkeyStore, admin: Redis) -> None:
    await open_table(store, ttl_ms=20_000)
    await store.arrive(TABLE, "g", None, sitting=True)
    await store.arrive(TABLE, "w", None)
    for key in await admin.keys():
        assert 18_000 < await admin.pttl(key) <= 20_000
    await store.commit(a_commit(1, said='{"id":"m"}', receipt="{}", ttl_ms=50_000))
    assert len(await admin.keys()) == 6
    for key in await admin.keys():
        assert 48_000 < await admin.pttl(key) <= 50_000


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    state=st.binary(min_size=1, max_size=300),
    text=st.text(st.characters(exclude_categories=["Cs"]), max_size=50),
    answer=st.dictionaries(st.text("ab", max_size=2), st.integers(0, 9), max_size=3),
)
async def test_whatever_is_saved_comes_back_whole(
    store: ValkeyStore, state: bytes, text: str, answer: dict[str, int]
) -> None:
    await store.delete(TABLE)
    await open_table(store)
    events = json.dumps([{"type": "said", "text": text}], ensure_ascii=False)
    done = committed(
        await store.commit(a_commit(state=state, events=events, guest="g", cmd="c", answer=json.dumps(answer)))
    )
    stored = await store.read(TABLE, 1)
    assert stored is not None
    assert (stored.state, stored.batches) == (state, (done.batch,))
    assert json.loads(done.batch.frame)["events"] == json.loads(events)
    remembered = await store.done(TABLE, "g", "c")
    assert remembered is not None
    assert json.loads(remembered.answer) == answer


async def test_a_table_that_is_played_at_outlives_every_life_it_was_given(store: ValkeyStore, admin: Redis) -> None:
    await open_table(store, ttl_ms=400)
    await store.arrive(TABLE, "g", None, sitting=True)
    until = asyncio.get_running_loop().time() + 1.0
    ver = 1
    while asyncio.get_running_loop().time() < until:
        ver = committed(await store.commit(a_commit(ver, ttl_ms=400))).head.ver
        lives = [await admin.pttl(key) for key in await admin.keys()]
        assert 200 < min(lives) <= max(lives) <= 400
        await asyncio.sleep(0.005)
