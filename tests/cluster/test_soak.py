"""The soak in short: every kind of fault once, and nothing lost; and where the product is wrong, it is found out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster.soak.faults import FAULTS
from tests.cluster.soak.run import soak
from tests.wire.mutants import MUTANTS, Mutant, copied

BY_NAME = {mutant.name: mutant for mutant in MUTANTS}


async def test_every_fault_once_and_nothing_lost(tmp_path: Path) -> None:
    report = await soak(tmp_path, tables=6, seconds=1, seed=7, pace_s=0.03)
    assert report.verdict(tuple(FAULTS)) == []
    assert report.judged == 6
    assert report.reveals > 600
    assert report.games >= 1
    assert report.resumed["exact"] > 10
    for kind in ("worker killed", "people lost"):
        assert report.within(kind, 99) <= 2.0
    for kind in ("worker drained", "rolling restart"):
        assert report.within(kind, 99) <= 5.0


@pytest.mark.parametrize(
    ("mutant", "kinds"),
    [
        (BY_NAME["no dedupe"], ("replies lost",)),
        (BY_NAME["no gap check"], ("messages lost", "people lost")),
    ],
    ids=lambda value: value.name if isinstance(value, Mutant) else "",
)
async def test_a_wrong_product_is_found_out(tmp_path: Path, mutant: Mutant, kinds: tuple[str, ...]) -> None:
    source = copied(tmp_path / "copy", mutant.patches)
    report = await soak(
        tmp_path / "soak", tables=4, seconds=4, seed=7, kinds=kinds, pace_s=0.1, policy="random", source=source
    )
    assert report.lost
    assert "never fired" not in " ".join(report.verdict(kinds))
