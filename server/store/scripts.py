"""Loading the Lua files of this directory: the shared part goes between a script's first line and its rest.

Nothing is sent from here. Invariant: a script's text, and so its SHA-1, depends on the files alone.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Script:
    """A Lua script: EVALSHA takes `sha`, and EVAL `text` where the server does not know it."""

    name: str
    text: bytes
    sha: str


def load(name: str) -> Script:
    """Read `<name>.lua`; its first line must be the `#!lua` declaration."""
    shebang, rest = (_HERE / f"{name}.lua").read_bytes().split(b"\n", 1)
    if not shebang.startswith(b"#!lua"):
        raise ValueError(f"{name}.lua does not begin with #!lua")
    text = shebang + b"\n" + (_HERE / "shared.lua").read_bytes() + rest
    return Script(name, text, hashlib.sha1(text, usedforsecurity=False).hexdigest())
