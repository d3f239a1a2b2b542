"""One port, on every address that this machine has."""

from __future__ import annotations

import errno
import socket

import pytest

from server.listening import listen


def close(sockets: list[socket.socket]) -> None:
    for each in sockets:
        each.close()


def test_a_free_port_is_the_same_for_all_addresses() -> None:
    sockets = listen("localhost", 0)
    ports = {each.getsockname()[1] for each in sockets}
    close(sockets)
    assert len(ports) == 1
    assert ports != {0}


def test_a_taken_port_is_an_error_and_leaves_nothing_open() -> None:
    sockets = listen("127.0.0.1", 0)
    with pytest.raises(OSError) as caught:
        listen("127.0.0.1", sockets[0].getsockname()[1])
    close(sockets)
    assert caught.value.errno == errno.EADDRINUSE


def test_an_address_of_another_machine_is_an_error() -> None:
    with pytest.raises(OSError) as caught:
        listen("192.0.2.1", 0)
    assert caught.value.errno == errno.EADDRNOTAVAIL


def test_an_address_that_is_not_here_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def two(*_: object, **__: object) -> list[object]:
        here = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 0))
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 0)), here]

    monkeypatch.setattr(socket, "getaddrinfo", two)
    sockets = listen("both", 0)
    names = [each.getsockname()[0] for each in sockets]
    close(sockets)
    assert names == ["127.0.0.1"]
