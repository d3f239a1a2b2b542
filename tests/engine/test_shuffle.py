"""The provable shuffle, held to the vectors of another implementation and to its own words."""

import hmac
import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.shuffle import commitment, game_key, shuffled, stream, uniform

VECTORS = json.loads(Path("tests/golden/shuffle.json").read_text())


@pytest.mark.parametrize("case", VECTORS["key"], ids=lambda case: case["table"])
def test_keys_and_commitments_agree(case: dict[str, object]) -> None:
    key = game_key(
        seed=str(case["seed"]),
        table=str(case["table"]),
        game=int(str(case["game"])),
        attempt=int(str(case["attempt"])),
        nonces=[str(nonce) for nonce in case["nonces"]] if isinstance(case["nonces"], list) else [],
    )
    assert key.hex() == case["key"]
    assert commitment(str(case["seed"])) == case["commitment"]


@pytest.mark.parametrize("case", VECTORS["shuffle"], ids=lambda case: f"{case['key'][:4]}-{case['shuffle']}")
def test_orders_agree(case: dict[str, object]) -> None:
    size = int(str(case["size"]))
    assert shuffled(range(size), bytes.fromhex(str(case["key"])), int(str(case["shuffle"]))) == case["order"]


@pytest.mark.parametrize("case", VECTORS["uniform"], ids=lambda case: f"m{case['m']}")
def test_uniform_agrees_at_its_limits(case: dict[str, object]) -> None:
    words = case["words"]
    assert isinstance(words, list)
    source = iter([*words, "untouched"])
    assert uniform(int(str(case["m"])), source) == case["result"]
    assert len(list(source)) == len(words) + 1 - int(str(case["taken"]))


def test_uniform_says_when_words_end() -> None:
    with pytest.raises(ValueError, match="ended"):
        uniform(3, iter([2**32 - 1]))


def test_a_stream_is_hmac_block_by_block() -> None:
    key = b"k" * 32
    blocks = [hmac.new(key, (7).to_bytes(4, "big") + bytes((0, 0, 0, i)), sha256).digest() for i in range(3)]
    words = stream(key, 7)
    assert b"".join(next(words).to_bytes(4, "big") for _ in range(24)) == b"".join(blocks)


def plainly(size: int, key: bytes, k: int) -> tuple[list[int], int]:
    """Shuffle as the README says it; also return how many words were thrown away."""
    words = stream(key, k)
    taken = 0

    def counted() -> Iterator[int]:
        nonlocal taken
        for word in words:
            taken += 1
            yield word

    order = list(range(size))
    for j in range(size - 1, 0, -1):
        other = uniform(j + 1, counted())
        order[j], order[other] = order[other], order[j]
    return order, taken - max(size - 1, 0)


@given(st.integers(0, 400), st.binary(min_size=32, max_size=32), st.integers(0, 2**32 - 1))
def test_the_fast_way_is_the_plain_way(size: int, key: bytes, k: int) -> None:
    assert shuffled(range(size), key, k) == plainly(size, key, k)[0]


# Found by search: the first block of each of these streams has a word so high that some sizes must throw it
# away.
@pytest.mark.parametrize("k", [3874743, 4360951, 9389823, 10522677])
def test_a_word_that_is_thrown_away_moves_all_that_follow(k: int) -> None:
    key = b"k" * 32
    thrown = 0
    for size in range(2, 257):
        order, lost = plainly(size, key, k)
        assert shuffled(range(size), key, k) == order
        thrown += lost
    assert thrown > 0
