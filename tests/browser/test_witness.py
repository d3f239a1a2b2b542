"""The witness itself: a watch that sees nothing would prove nothing."""

from __future__ import annotations

import asyncio

from playwright.async_api import Browser

from tests.browser.witness import Witness
from tests.wire.processes import Worker

# Nobody listens there, and the content policy forbids to ask.
ELSEWHERE = "http://localhost:9/"


async def test_a_console_error_a_throw_and_a_call_elsewhere_are_each_seen(browser: Browser, server: Worker) -> None:
    witness = Witness(server.base)
    context = await browser.new_context()
    witness.follow(context)
    page = await context.new_page()
    await page.goto(server.base)
    await witness.assert_clean()
    await page.evaluate("console.error('a complaint')")
    await page.evaluate("setTimeout(() => { throw new Error('a throw') })")
    await page.evaluate(f"fetch('{ELSEWHERE}').catch(() => null)")
    await page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p style=\"color:red\">')")
    await asyncio.sleep(0.2)
    seen = "\n".join(witness.wrongs)
    for wrong in ("a complaint", "a throw", "connect-src", "style-src"):
        assert wrong in seen


async def test_an_excuse_covers_its_own_complaint_alone(browser: Browser, server: Worker) -> None:
    witness = Witness(server.base)
    context = await browser.new_context()
    witness.follow(context)
    page = await context.new_page()
    await page.goto(server.base)
    witness.excuse("expected")
    await page.evaluate("console.error('this was expected')")
    await page.evaluate("console.error('this was not')")
    await asyncio.sleep(0.1)
    assert len(witness.wrongs) == 1
    assert "this was not" in witness.wrongs[0]


async def test_another_origin_is_seen_even_where_no_policy_forbids_it(browser: Browser, server: Worker) -> None:
    witness = Witness("http://127.0.0.1:1")
    context = await browser.new_context()
    witness.follow(context)
    page = await context.new_page()
    await page.goto(server.base)
    assert any(wrong == f"another origin: {server.base}/" for wrong in witness.wrongs)
