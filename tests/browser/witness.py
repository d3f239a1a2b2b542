"""What no page may do, seen from outside of it: fail, break the content policy, or speak to another origin.

Nothing here looks at what a page shows. Invariant: every page of a followed context is watched from its first
request on, and what a test excuses is one named complaint, never all of them.
"""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, ConsoleMessage, Page, Request, WebError, WebSocket


class Witness:
    """Collects every wrong of the pages of one test. `base` is the only origin they may speak to."""

    def __init__(self, base: str) -> None:
        self.host = urlsplit(base).netloc
        self.requests = 0
        self.wrongs: list[str] = []
        self._excused: list[str] = []

    def follow(self, context: BrowserContext) -> None:
        """Watch all pages of a context, those that it opens later too."""
        context.on("console", self._said)
        context.on("weberror", self._threw)
        context.on("request", self._asked)
        context.on("page", self._opened)

    def excuse(self, *complaints: str) -> None:
        """Let console errors pass that hold one of these words, from now on: what the test itself brings about."""
        self._excused += complaints

    async def assert_clean(self) -> None:
        """Fail if any page did wrong, or if there was nothing to see."""
        # What a page did last is still on its way.
        await asyncio.sleep(0.05)
        assert self.requests, "the witness saw no page"
        assert not self.wrongs, "\n".join(self.wrongs)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "assert") and not any(word in message.text for word in self._excused):
            self.wrongs.append(f"console: {message.text} ({message.location['url']})")

    def _threw(self, error: WebError) -> None:
        self.wrongs.append(f"thrown: {error.error}")

    def _asked(self, request: Request) -> None:
        self.requests += 1
        self._reached(request.url)

    def _opened(self, page: Page) -> None:
        page.on("websocket", self._connected)

    def _connected(self, socket: WebSocket) -> None:
        self._reached(socket.url)

    def _reached(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.netloc != self.host:
            self.wrongs.append(f"another origin: {url}")
