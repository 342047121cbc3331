"""Numbers that people write have the digits 0 to 9: Python's own tests and patterns take those of every script."""

import re
from pathlib import Path

import pytest

from ringscope.contracts.words.units import is_whole_number, parse_size

ROOT = Path(__file__).parents[2]
PACKAGES = ("workers/ringscope", "workers/ringscope_agent", "backend/ringscope_server")
LOOSE = re.compile(r"\\d|\.is(digit|decimal|numeric)\(")
HOME = "workers/ringscope/contracts/words/units.py"


def test_no_module_reads_the_digits_of_other_scripts() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if str(path.relative_to(ROOT)) != HOME
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if LOOSE.search(line)
    ]
    assert not found, "write [0-9], or call is_whole_number of contracts/words/units.py:\n" + "\n".join(found)


@pytest.mark.parametrize("text", ["٣", "²", "\uff11", "1_0", "-1", "+1", " 1", ""])
def test_only_ascii_digits_are_a_number(text: str) -> None:
    assert not is_whole_number(text)


@pytest.mark.parametrize("text", ["٣", "1٣K"])
def test_a_size_has_ascii_digits(text: str) -> None:
    with pytest.raises(ValueError, match="is not a size"):
        parse_size(text)
