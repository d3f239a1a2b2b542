"""The log: JSON lines for machines, readable ones in a terminal.

Names, messages, cookies and addresses are in no line: nobody passes them here, and what the libraries would
write of them is taken out. Invariant: bad input from outside leaves no traceback.
"""

from __future__ import annotations

import logging
import sys
from typing import Literal, TextIO

import structlog
from aiohttp.http_exceptions import HttpProcessingError
from structlog.typing import Processor

_SHARED: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


def set_up(mode: Literal["json", "text"] | None, stream: TextIO | None = None) -> None:
    """Send every log of this process to `stream` (standard output); `mode` None: text in a terminal, else JSON."""
    stream = stream or sys.stdout
    readable = mode == "text" or (mode is None and stream.isatty())
    rendered: tuple[Processor, ...] = (
        (structlog.dev.ConsoleRenderer(colors=stream.isatty(), exception_formatter=structlog.dev.plain_traceback),)
        if readable
        else (structlog.processors.format_exc_info, structlog.processors.JSONRenderer())
    )
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(stream)
    handler.addFilter(without_visitors)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_SHARED,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendered],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.INFO)
    # They speak of every connection, by address; what matters of it the transport says itself.
    for name in ("engineio", "socketio", "engineio.server", "socketio.server"):
        logging.getLogger(name).setLevel(logging.ERROR)


def without_visitors(record: logging.LogRecord) -> bool:
    """Take the visitor's address and words out of what the libraries log, and the traceback out of malformed HTTP."""
    if record.name == "aiohttp.server":
        record.args = ()
        malformed = record.exc_info is not None and isinstance(record.exc_info[1], HttpProcessingError)
        if malformed:
            record.exc_info = None
            record.levelno, record.levelname = logging.INFO, "INFO"
        record.msg = "malformed_http" if malformed else "request_failed"
    if record.name.split(".")[0] in ("engineio", "socketio"):
        # They quote what a visitor sent; only where one of them failed is there something to mend.
        if record.exc_info is None:
            return False
        record.msg, record.args = "sockets_failed", ()
    return True
