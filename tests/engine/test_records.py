"""Records filled quickly are the same records."""

from dataclasses import FrozenInstanceError, fields

import pytest

from engine.events import Revealed
from engine.records import quick


def test_a_quick_record_is_the_record() -> None:
    slow = Revealed(1, 2, "7H", None, False, "self")
    fast = quick(Revealed)(1, 2, "7H", None, False, by="self")
    assert type(fast) is Revealed
    assert fast == slow
    assert hash(fast) == hash(slow)
    assert repr(fast) == repr(slow)
    assert not hasattr(fast, "__dict__")


def test_a_quick_record_is_frozen() -> None:
    made = quick(Revealed)(1, 2, "7H", None, False, "self")
    for field in fields(Revealed):
        with pytest.raises(FrozenInstanceError):
            setattr(made, field.name, 3)


def test_only_records_can_be_quick() -> None:
    with pytest.raises(TypeError, match="no record"):
        quick(len)
