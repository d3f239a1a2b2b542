"""The guest cookie: who somebody is, without an account (contract, section 5).

The cookie's own value leaves this file only for the browser. Invariant: everything else knows a guest by the
SHA-256 of it, 43 characters of unpadded base64url.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from base64 import urlsafe_b64encode

from aiohttp import web

from server.transport.keys import CONFIG

NAME = "rm_guest"
SECURE_NAME = "__Host-rm_guest"
MAX_AGE_S = 30 * 24 * 3600

# 32 bytes are 43 characters, the last of which carries four bits.
_WELL_FORMED = re.compile(r"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]")


def guest_of(request: web.BaseRequest) -> str | None:
    """Return the guest's id, or None for a request without a well-formed cookie."""
    value = request.cookies.get(_name(request))
    return _hashed(value) if value is not None and _WELL_FORMED.fullmatch(value) else None


def has_cookie(request: web.BaseRequest) -> bool:
    """Say whether a guest cookie came along, well-formed or not."""
    return _name(request) in request.cookies


def new_cookie() -> tuple[str, str]:
    """Draw a guest: the cookie's value, and the guest's id. Give the value to `set_cookie` alone."""
    value = secrets.token_urlsafe(32)
    return value, _hashed(value)


def set_cookie(request: web.BaseRequest, response: web.StreamResponse, value: str | None = None) -> None:
    """Give the browser this cookie, or a new one if it has none that is well-formed."""
    if value is None:
        if guest_of(request) is not None:
            return
        value, _ = new_cookie()
    response.set_cookie(
        _name(request),
        value,
        max_age=MAX_AGE_S,
        path="/",
        httponly=True,
        samesite="Lax",
        secure=_secure(request),
    )


def _hashed(value: str) -> str:
    return urlsafe_b64encode(hashlib.sha256(value.encode("ascii")).digest()).rstrip(b"=").decode("ascii")


def _name(request: web.BaseRequest) -> str:
    return SECURE_NAME if _secure(request) else NAME


def _secure(request: web.BaseRequest) -> bool:
    config = request.config_dict.get(CONFIG) if isinstance(request, web.Request) else None
    return config is not None and config.secure
