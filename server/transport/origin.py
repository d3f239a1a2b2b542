"""Which pages may speak to this server with a person's cookie (contract, section 5, "Origin").

Pure: strings in, a yes or no out. Invariant: a page of another origin neither posts nor opens a socket.
"""

from __future__ import annotations

import re

_HOST = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
_USUAL_PORT = {"http": ":80", "https": ":443"}


def host_of(header: str | None) -> str | None:
    """Return a Host header that is one, in lower case; None for anything that could break a header or page."""
    return header.lower() if header and len(header) < 256 and _HOST.fullmatch(header) else None


def is_own(origin: str, host: str | None, public_url: str | None) -> bool:
    """Say whether an Origin is the public URL's, or that of the Host which was asked."""
    origin = origin.lower()
    if public_url is not None and origin == public_url:
        return True
    scheme, _, rest = origin.partition("://")
    usual = _USUAL_PORT.get(scheme)
    if host is None or usual is None or not _HOST.fullmatch(rest):
        return False
    return rest.removesuffix(usual) == host.lower().removesuffix(usual)


def may_post(origin: str | None, fetch_site: str | None, host: str | None, public_url: str | None) -> bool:
    """Say whether a POST may be answered: a missing Origin may, a foreign one or `null` may not."""
    if fetch_site is not None and fetch_site.strip().lower() == "cross-site":
        return False
    return origin is None or is_own(origin, host, public_url)


def may_connect(origin: str | None, host: str | None, public_url: str | None, *, has_cookie: bool) -> bool:
    """Say whether a socket may open: a missing Origin may, if no guest cookie is there to be misused."""
    return not has_cookie if origin is None else is_own(origin, host, public_url)
