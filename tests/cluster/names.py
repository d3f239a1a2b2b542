"""A name server for one name, as compose and Kubernetes have it: all workers' addresses under `worker`.

Invariant: it answers what it was last told, at once; a name that it does not know does not exist.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from ipaddress import IPv4Address

_A, _IN = 1, 1
_ANSWER, _NO_SUCH_NAME = 0x8580, 0x8583
_HEADER = 12


class Names:
    """Answers A questions for any name that begins with `worker`, from a thread of its own."""

    def __init__(self) -> None:
        self.addresses: list[str] = []
        self.port = 0
        self._socket: socket.socket | None = None

    def start(self) -> None:
        """Listen on a free port of 127.0.0.1."""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._serve, args=(self._socket,), daemon=True).start()

    def stop(self) -> None:
        """Answer no more."""
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()

    def answer(self, question: bytes) -> bytes:
        """Return the answer to one question; extensions (EDNS) after it are passed over."""
        end = _HEADER
        while question[end]:
            end += question[end] + 1
        end += 1
        kind, _ = struct.unpack("!HH", question[end : end + 4])
        known = question[_HEADER + 1 : end].lower().startswith(b"worker")
        addresses = self.addresses if known and kind == _A else []
        header = struct.pack("!HHHHH", _ANSWER if known else _NO_SUCH_NAME, 1, len(addresses), 0, 0)
        found = [struct.pack("!HHHIH", 0xC00C, _A, _IN, 0, 4) + IPv4Address(each).packed for each in addresses]
        return question[:2] + header + question[_HEADER : end + 4] + b"".join(found)

    def _serve(self, at: socket.socket) -> None:
        with contextlib.suppress(OSError):  # closed: that is the end
            while True:
                question, sender = at.recvfrom(4096)
                if question:
                    at.sendto(self.answer(question), sender)
