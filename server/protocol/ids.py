"""Table ids: how they are written, and how people may write them (contract, section 5).

Invariant: past `canonical`, an id is its twelve bare lower-case characters everywhere.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final

ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
LENGTH: Final = 12

_CANONICAL = re.compile(f"[{ALPHABET}]{{{LENGTH}}}")
# Crockford's base 32: what looks like 1 or 0 is read as it.
_AS_READ = str.maketrans({"i": "1", "l": "1", "o": "0", "-": ""})
_LONGEST = 64


def tag(table: str) -> str:
    """Return what a log calls a table: whoever has its link can tell which it is, and nobody the other way round."""
    return hashlib.sha256(f"table {table}".encode()).hexdigest()[:8]


def canonical(spelling: str) -> str | None:
    """Return the id that was meant, or None where none can be: hyphens, capitals, I, L and O are allowed."""
    if len(spelling) > _LONGEST or not spelling.isascii():
        return None
    bare = spelling.lower().translate(_AS_READ)
    return bare if _CANONICAL.fullmatch(bare) else None
