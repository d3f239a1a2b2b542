"""The application: every route of the contract's section 5, and the sockets beside them.

Wiring and limits only. Invariant: what `create_app` returns is all that a worker serves.
"""

from __future__ import annotations

from typing import Protocol

from aiohttp import web

from server.config import Config
from server.ports import Store
from server.transport import api, app_files, health, pages
from server.transport.answers import errors_in_words
from server.transport.headers import secure_headers
from server.transport.keys import CONFIG, HEALTH, STORE, Health

IDLE_S = 30.0
"""How long a connection may wait, for its next request or with half of one's headers."""
LONGEST_LINE = 8 * 1024
LARGEST_BODY = 128 * 1024
"""For any request: long-polling sends several frames in one. The tables' API allows far less."""


class Attachable(Protocol):
    """What joins the application with routes of its own: the sockets."""

    def attach(self, app: web.Application) -> None:
        """Add its routes and hooks."""


def create_app(
    config: Config, store: Store, sockets: Attachable | None = None, health_: Health | None = None
) -> web.Application:
    """Return the application over this store; `health_` is how its owner says that it is draining."""
    state = health_ or Health()
    app = web.Application(client_max_size=LARGEST_BODY, middlewares=[health.counted(state.registry), errors_in_words])
    app[CONFIG], app[STORE], app[HEALTH] = config, store, state
    app.on_response_prepare.append(secure_headers)
    pages.setup(app)
    app.router.add_post("/api/tables", api.make_table)
    app.router.add_get("/api/tables/{id}", api.table_summary)
    app.router.add_get("/api/tables/{id}/log", api.table_log)
    app.router.add_get("/api/tables/{id}/receipts", api.table_receipts)
    app.router.add_get("/t/{id}", app_files.table_shell)
    app.router.add_get("/t/{id}/qr.svg", app_files.qr_code)
    app.router.add_get("/replay", app_files.replay_shell)
    app.router.add_get("/assets/{file}", app_files.asset)
    app.router.add_get("/static/{file}", app_files.page_file)
    app.router.add_get("/healthz", health.healthz)
    app.router.add_get("/readyz", health.readyz)
    app.router.add_get("/metrics", health.metrics)
    if sockets is not None:
        sockets.attach(app)
    app.router.add_get(r"/{file:[A-Za-z0-9_-]+\.[A-Za-z0-9.]+}", app_files.root_file)
    return app


def make_runner(app: web.Application, *, idle_s: float = IDLE_S) -> web.AppRunner:
    """Return the runner: no access log, no signals of its own, and nobody holds a connection with half a request."""
    return web.AppRunner(
        app,
        access_log=None,
        handle_signals=False,
        keepalive_timeout=idle_s,
        max_line_size=LONGEST_LINE,
        max_field_size=LONGEST_LINE,
        shutdown_timeout=1.0,
    )
