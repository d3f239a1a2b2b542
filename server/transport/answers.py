"""How HTTP says no: as JSON to programs, as a page to people, in words either way.

Invariant: no traceback, no path and no value of a request is ever in an answer; nothing is logged of a refused
request, and of a failed one its route and the error alone.
"""

from __future__ import annotations

import traceback

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler

from server.ports import StoreDownError
from server.protocol.codec import encode
from server.transport.pages import error_page
from server.transport.words import accepted, refusal

RETRY_STORE_S = 2

log = structlog.get_logger(__name__)

_CODES: dict[int, str] = {403: "foreign_origin", 413: "too_large", 429: "too_fast", 503: "store_down"}


class RefusedError(Exception):
    """A typed no: raise it from a handler; the middleware answers it. `retry_s` becomes Retry-After."""

    def __init__(self, status: int, code: str, field: str | None = None, *, retry_s: int | None = None) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.field = field
        self.retry_s = retry_s


def wants_page(request: web.BaseRequest) -> bool:
    """Say whether a person reads the answer: outside the API always, inside it when a form was sent."""
    if request.path.startswith(("/api/", "/socket.io")):
        return request.content_type == "application/x-www-form-urlencoded"
    return request.path not in ("/healthz", "/readyz", "/metrics")


def refuse(request: web.Request, refused: RefusedError) -> web.Response:
    """Return the answer to a refused request."""
    if wants_page(request):
        response = error_page(request, refused.status, refused.code, refused.field)
    else:
        language = accepted(request.headers.get("Accept-Language"))
        body: dict[str, object] = {"code": refused.code, "message": refusal(language, refused.code)}
        if refused.status == 400:
            body["field"] = refused.field
        response = web.Response(status=refused.status, text=encode(body), content_type="application/json")
    if refused.retry_s is not None:
        response.headers["Retry-After"] = str(refused.retry_s)
    return response


@web.middleware
async def errors_in_words(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer every refusal and failure of the handlers below in words."""
    try:
        return await handler(request)
    except RefusedError as refused:
        return refuse(request, refused)
    except StoreDownError:
        log.warning("store_down", route=_route(request))
        return refuse(request, RefusedError(503, "store_down", retry_s=RETRY_STORE_S))
    except web.HTTPException as error:
        if error.status < 400:
            raise
        response = refuse(request, RefusedError(error.status, _CODES.get(error.status, "bad_request")))
        if "Allow" in error.headers:
            response.headers["Allow"] = error.headers["Allow"]
        return response
    except ConnectionError:
        # The person went away in the middle of asking; nobody hears the answer, and nothing of ours failed.
        return refuse(request, RefusedError(400, "bad_request"))
    except Exception as error:
        # Not the error's own text, which may quote what somebody sent.
        where = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-8:]]
        log.error("request_failed", route=_route(request), error=type(error).__name__, at=where)
        return refuse(request, RefusedError(500, "failed"))


def _route(request: web.Request) -> str:
    # The route as written, never the path: a path may carry what must not be logged.
    resource = request.match_info.route.resource
    return resource.canonical if resource is not None else "none"
