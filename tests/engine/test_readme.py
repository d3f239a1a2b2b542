"""The README's table of rules: nine of them, and every test that it names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "engine" / "README.md").read_text()
TESTS = {
    path.name: set(re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE))
    for path in Path(__file__).parent.glob("test_*.py")
}


def rows() -> dict[str, str]:
    """Return each rule's row."""
    return {found[1]: found[0] for found in re.finditer(r"^\| (R\d) \|.*$", TEXT, re.MULTILINE)}


def test_every_rule_has_a_test() -> None:
    assert list(rows()) == [f"R{number}" for number in range(1, 10)]
    for rule, row in rows().items():
        assert f"`test_{rule.lower()}_" in row, rule


def test_every_test_that_is_named_is_there() -> None:
    for row in rows().values():
        where = "test_game.py"
        for file, test in re.findall(r"`(test_\w+\.py)`|`(test_\w+)`", row):
            where = file or where
            assert not test or test in TESTS[where], f"{where}: {test}"


def test_every_test_of_a_rule_is_named() -> None:
    held = {test for tests in TESTS.values() for test in tests if re.match(r"test_r\d_", test)}
    assert {test for test in held if f"`{test}`" not in TEXT} == set()


def test_every_file_of_the_engine_is_named() -> None:
    files = {path.name for path in (ROOT / "engine").glob("*.py")} - {"__init__.py"}
    assert {name for name in files if f"`{name}`" not in TEXT} == set()
