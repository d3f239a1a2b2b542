"""scripts.py: what is sent is declared, whole, and the same everywhere."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from server.store import scripts

FILES = sorted(p.stem for p in Path(scripts.__file__).parent.glob("*.lua") if p.stem != "shared")
# A full store must refuse these up front; the others only lessen, write over, or read.
REFUSED_WHEN_FULL = {"commit", "open", "arrive", "allow", "nudge"}


@pytest.mark.parametrize("name", FILES)
def test_every_script_is_declared_and_carries_the_shared_part(name: str) -> None:
    script = scripts.load(name)
    first, rest = script.text.split(b"\n", 1)
    assert (first == b"#!lua") == (name in REFUSED_WHEN_FULL)
    assert first.startswith(b"#!lua")
    assert b"local clock = redis.call('TIME')" in rest
    assert b"pcall" not in rest
    assert script.sha == hashlib.sha1(script.text).hexdigest()


def test_a_file_without_a_declaration_is_refused() -> None:
    with pytest.raises(ValueError, match="#!lua"):
        scripts.load("shared")
