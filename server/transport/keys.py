"""What the application carries for its handlers, by typed keys; nothing acts here."""

from __future__ import annotations

from dataclasses import dataclass, field

from aiohttp import web
from prometheus_client import CollectorRegistry

from server.config import Config
from server.ports import Store


@dataclass(slots=True)
class Health:
    """How this worker does: whether it is `draining`, and its own metrics' `registry`."""

    draining: bool = False
    registry: CollectorRegistry = field(default_factory=CollectorRegistry)


CONFIG = web.AppKey("config", Config)
STORE: web.AppKey[Store] = web.AppKey("store", Store)
HEALTH = web.AppKey("health", Health)
