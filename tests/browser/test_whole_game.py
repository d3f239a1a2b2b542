"""A whole game by two phones, with a watcher: a reload in the middle, a killed server, and the log at its end."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import expect

from tests.browser.conftest import MakePerson
from tests.browser.people import play
from tests.browser.replay import assert_shows, replayed
from tests.browser.witness import Witness
from tests.wire.processes import Worker


async def test_two_phones_and_a_watcher_play_to_the_end_over_a_reload_and_a_killed_server(
    person: MakePerson, server: Worker, witness: Witness, tmp_path: Path
) -> None:
    asha, bela, chitra = await person(), await person(), await person(1280, 800, touch=False)
    link = await asha.make_table("Asha", seats=4)
    assert link == f"{server.base}/t/{asha.table}"
    await bela.come(link)
    await bela.sit("Bela", 1)
    await chitra.come(link)
    await chitra.see("watch").click()
    await expect(asha.see("seat-1")).to_contain_text("Bela")
    # Short-handed: two of four seats.
    await asha.see("start").click()
    everybody = (asha, bela, chitra)
    for each in everybody:
        await expect(each.see("turn")).to_have_attribute("data-value", "0")

    turn = await play((asha, bela), 0, 0, 20)
    await bela.page.reload()
    await bela.live()
    # The stack is only there for who has a seat, and holds that seat's counts.
    await expect(bela.see("stack").get_by_test_id("seat-1")).to_be_visible()
    for each in everybody:
        await expect(each.see("reveal-count")).to_have_attribute("data-value", "20")
    turn = await play((asha, bela), turn, 20, 40)

    witness.excuse("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "ERR_SOCKET_NOT_CONNECTED")
    server.kill()
    for each in everybody:
        await expect(each.see("connection")).to_have_attribute("data-value", "lost")
    await (asha, bela)[turn].see("stack").click(force=True)
    await expect((asha, bela)[turn].see("reason")).to_have_attribute("data-value", "connection")
    await server.restart()
    for each in everybody:
        await each.live()
        await expect(each.see("reveal-count")).to_have_attribute("data-value", "40")
    await play((asha, bela), turn, 40, 60)

    for each in (asha, bela):
        await each.turn_by_itself()
    for each in everybody:
        await expect(each.see("winner")).to_be_visible(timeout=40_000)
    view = await replayed(asha, tmp_path)
    assert view.n >= 100
    for each, own in ((asha, 0), (bela, 1), (chitra, None)):
        await assert_shows(each, view, own)
