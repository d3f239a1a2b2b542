"""The table of faults in this folder's README: every fault has a test of the cluster's, and each named is there."""

from __future__ import annotations

import re

from tests.wire.mutants import MUTANTS
from tests.wire.processes import ROOT

FAULTS = 15
ROW = re.compile(r"^\| (?P<fault>[^|]+) \|(?: [^|]+ \|)? (?P<tests>`tests/[^|]+) \|$", re.MULTILINE)
TEST = re.compile(r"`(?P<file>tests/[\w/]+\.py)::(?P<name>test_\w+)`")

ROWS = {
    row["fault"]: TEST.findall(row["tests"])
    for row in ROW.finditer((ROOT / "tests" / "cluster" / "README.md").read_text("utf-8"))
}


def test_every_fault_and_every_mutant_has_a_test_of_the_clusters() -> None:
    assert len(ROWS) == FAULTS + len(MUTANTS)
    assert {mutant.name for mutant in MUTANTS} <= set(ROWS)
    without = [
        fault for fault, tests in ROWS.items() if not any(file.startswith("tests/cluster/") for file, _ in tests)
    ]
    assert not without


def test_each_test_that_is_named_is_there() -> None:
    missing = [
        f"{file}::{name}"
        for tests in ROWS.values()
        for file, name in tests
        if not re.search(rf"^(async )?def {name}\(", (ROOT / file).read_text("utf-8"), re.MULTILINE)
    ]
    assert not missing
