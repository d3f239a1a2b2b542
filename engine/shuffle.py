"""The provable shuffle: the commitment, the game's key, and every order that follows from it.

No dice live here: the same seed, table and nonces give the same orders for ever, in every implementation
(`tests/golden/shuffle.json` is another's). `engine/README.md` explains it in words.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from struct import unpack
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from hashlib import _Hash

T = TypeVar("T")

_DOMAIN = b"rang-milanti/1"
_WORDS = 2**32
# Up to this many cards, a word under _SAFE is never thrown away, whatever the bound: 2³² mod m is under m.
_FEW = 256
_SAFE = _WORDS - _FEW
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))
_COUNTERS = tuple(i.to_bytes(4, "big") for i in range(_FEW // 8))


def commitment(seed: str) -> str:
    """Return the SHA-256 of a seed, hex in and out: what is shown before anybody gives a nonce."""
    return sha256(bytes.fromhex(seed)).hexdigest()


def game_key(*, seed: str, table: str, game: int, attempt: int, nonces: Sequence[str]) -> bytes:
    """Return the 32 bytes from which a game's orders follow; `seed` and `nonces` are hex, in seat order."""
    name = table.encode("ascii")
    message = b"".join(
        (
            _DOMAIN,
            len(name).to_bytes(1, "big"),
            name,
            game.to_bytes(4, "big"),
            attempt.to_bytes(4, "big"),
            *map(bytes.fromhex, nonces),
        )
    )
    return _hmac(bytes.fromhex(seed), message)


def stream(key: bytes, k: int) -> Iterator[int]:
    """Yield stream k's 32-bit words without end: k = 0 is the deal, 1, 2, 3 … the reshuffles in order."""
    head = k.to_bytes(4, "big")
    block = 0
    while True:
        yield from unpack(">8I", _hmac(key, head + block.to_bytes(4, "big")))
        block += 1


def uniform(m: int, words: Iterator[int]) -> int:
    """Take words until one is fair, and return it as a number from 0 to m − 1, each equally likely."""
    limit = _WORDS - _WORDS % m
    for word in words:
        if word < limit:
            return word % m
    raise ValueError("the stream of words ended")


def shuffled(cards: Sequence[T], key: bytes, k: int) -> list[T]:
    """Return the cards in stream k's order; index 0 is turned first (R3, R5)."""
    mixed = list(cards)
    last = len(mixed) - 1
    if last < _FEW:
        head = k.to_bytes(4, "big")
        blocks = [_hmac(key, head + counter) for counter in _COUNTERS[: (last + 7) // 8]]
        words = unpack(f">{8 * len(blocks)}I", b"".join(blocks))
        if not words or max(words) < _SAFE:
            # The same as below, four times as fast: no word can be thrown away.
            for j, word in zip(range(last, 0, -1), words, strict=False):
                other = word % (j + 1)
                mixed[j], mixed[other] = mixed[other], mixed[j]
            return mixed
    source = stream(key, k)
    for j in range(last, 0, -1):
        other = uniform(j + 1, source)
        mixed[j], mixed[other] = mixed[other], mixed[j]
    return mixed


def _hmac(key: bytes, message: bytes) -> bytes:
    """Return HMAC-SHA256 (RFC 2104); `hmac.digest` sets its key up every time: thrice as slow."""
    inner, outer = _pads(key)
    inner, outer = inner.copy(), outer.copy()
    inner.update(message)
    outer.update(inner.digest())
    return outer.digest()


@lru_cache(maxsize=64)
def _pads(key: bytes) -> tuple["_Hash", "_Hash"]:
    block = key.ljust(64, b"\0")
    return sha256(block.translate(_INNER)), sha256(block.translate(_OUTER))
