"""The sockets that a worker listens on.

Invariant: one port for all addresses of a host name, also when the system chose it.
"""

from __future__ import annotations

import errno
import os
import socket

BACKLOG = 1024
_NOT_HERE = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}


def listen(host: str, port: int) -> list[socket.socket]:
    """Return listening sockets for every address of `host`; port 0 is one that is free, the same for all.

    An address that this machine does not have (IPv6 switched off) is passed over.

    Raises:
        OSError: the port is taken, or no address of the host is here.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    sockets: list[socket.socket] = []
    last: OSError | None = None
    try:
        for family, kind, protocol, _, address in dict.fromkeys(found):
            try:
                sockets.append(_bound(family, kind, protocol, (address[0], port, *address[2:])))
            except OSError as error:
                if error.errno not in _NOT_HERE:
                    raise
                last = error
                continue
            port = sockets[0].getsockname()[1]
    except OSError:
        for opened in sockets:
            opened.close()
        raise
    if not sockets:
        raise last or OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))
    return sockets


def _bound(family: int, kind: int, protocol: int, address: tuple[object, ...]) -> socket.socket:
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(address)
        made.listen(BACKLOG)
        made.setblocking(False)
    except BaseException:
        made.close()
        raise
    return made
