"""What operators and their machines ask: alive, ready, how much.

Invariant: nothing here names a table, a person, a cookie or an address; a route is told as it is written.
"""

from __future__ import annotations

import asyncio
import time
from importlib.metadata import version

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from server.ports import StoreDownError
from server.transport.keys import HEALTH, STORE

READY_WITHIN_S = 2.0
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)


async def healthz(_request: web.Request) -> web.Response:
    """`GET /healthz`: the loop turns."""
    return web.Response(text="ok\n")


async def readyz(request: web.Request) -> web.Response:
    """`GET /readyz`: able to serve: the store answers, and this worker is not leaving."""
    if request.app[HEALTH].draining:
        return web.Response(status=503, text="draining\n")
    try:
        async with asyncio.timeout(READY_WITHIN_S):
            await request.app[STORE].ping()
    except (StoreDownError, TimeoutError):
        return web.Response(status=503, text="store down\n")
    return web.Response(text="ready\n")


async def metrics(request: web.Request) -> web.Response:
    """`GET /metrics`: this worker's numbers in Prometheus's text."""
    return web.Response(
        body=generate_latest(request.app[HEALTH].registry),
        headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"},
    )


def counted(registry: CollectorRegistry) -> Middleware:
    """Return the middleware that counts and times requests; sockets' own are not among them."""
    Gauge("rm_build_info", "This release", ["version"], registry=registry).labels(version("rang-milanti")).set(1)
    requests = Counter("rm_http_requests", "HTTP requests", ["route", "method", "status"], registry=registry)
    seconds = Histogram("rm_http_seconds", "HTTP answer time", ["route"], registry=registry, buckets=_BUCKETS)

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        resource = request.match_info.route.resource
        route = resource.canonical if resource is not None else "none"
        if route.startswith("/socket.io"):
            return await handler(request)
        began = time.perf_counter()
        response = await handler(request)
        seconds.labels(route).observe(time.perf_counter() - began)
        method = request.method if request.method in ("GET", "HEAD", "POST") else "other"
        requests.labels(route, method, str(response.status)).inc()
        return response

    return middleware
