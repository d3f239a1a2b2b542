"""The headers of every answer: what a page may load and do, and what it tells others.

Invariant: no inline script or style, no other origin, no framing, no sensor but the microphone, and no address
of a table told to anybody.
"""

from __future__ import annotations

from aiohttp import web

from server.transport.keys import CONFIG
from server.transport.origin import host_of

# A form on these needs its Origin sent, which `no-referrer` would make `null`.
HOME_PATHS = frozenset({"/", "/bn"})

_OFF = (
    "accelerometer", "camera", "display-capture", "encrypted-media", "geolocation", "gyroscope", "hid",
    "idle-detection", "magnetometer", "midi", "payment", "publickey-credentials-get", "serial", "usb",
    "xr-spatial-tracking",
)  # fmt: skip
_PERMISSIONS = ", ".join(["microphone=(self)", *(f"{feature}=()" for feature in _OFF)])


async def secure_headers(request: web.BaseRequest, response: web.StreamResponse) -> None:
    """Add the headers; connect to the application's `on_response_prepare`."""
    if response.status == 101:
        return
    headers = response.headers
    headers["Content-Security-Policy"] = _policy(request)
    headers["Referrer-Policy"] = "same-origin" if request.path in HOME_PATHS else "no-referrer"
    headers["Server"] = "rang-milanti"
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Permissions-Policy"] = _PERMISSIONS
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    if response.content_type != "text/html":
        headers.setdefault("Cache-Control", "no-store")
    else:
        headers.setdefault("Cache-Control", "no-cache")


def base_url(request: web.BaseRequest) -> str:
    """Return how people reach this server, without a slash at its end: the public URL, else as this one did."""
    config = request.config_dict[CONFIG] if isinstance(request, web.Request) else None
    if config is not None and config.public_url is not None:
        return config.public_url
    host = host_of(request.headers.get("Host")) or (f"{config.host}:{config.port}" if config else "localhost")
    return f"{request.scheme}://{host}"


def _policy(request: web.BaseRequest) -> str:
    # Safari before 15.4 does not take 'self' to mean this origin's websockets.
    sockets = base_url(request).replace("http", "ws", 1)
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"connect-src 'self' {sockets}; manifest-src 'self'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    )
