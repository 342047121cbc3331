"""The reasons for which a job waits."""

import re
from pathlib import Path

from ringscope_server.placement import pending

DOCUMENT = Path(__file__).parents[3] / "docs" / "scheduler.md"


def test_every_reason_stands_in_the_documentation_and_no_other() -> None:
    written = re.findall(r'Why\(\s*"(\w+)"', Path(pending.__file__).read_text())
    table = DOCUMENT.read_text().partition("## Why a job waits")[2]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(written)
