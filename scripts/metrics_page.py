"""The tables of docs/metrics.md, from ringscope.contracts.metrics: `python scripts/metrics_page.py` puts them there.

``<!-- table NAME -->`` … ``<!-- end -->``; what stands outside of them is written by hand.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from ringscope.contracts.metrics.agent import AGENT
from ringscope.contracts.metrics.collector import COLLECTOR
from ringscope.contracts.metrics.family import Family
from ringscope.contracts.metrics.insights import INSIGHTS
from ringscope.contracts.metrics.server import SERVER

PAGE = Path(__file__).parents[1] / "docs" / "metrics.md"
TABLES = {"agent": AGENT, "server": SERVER, "insights": INSIGHTS, "both": COLLECTOR}
_MARKED = re.compile(r"(<!-- table (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill() -> None:
    """Write the tables as they are now."""
    PAGE.write_text(filled(PAGE.read_text()))


def filled(page: str) -> str:
    """The page with its tables; KeyError for a marker without a table."""
    return _MARKED.sub(lambda found: f"{found[1]}{table(TABLES[found[2]].families)}\n{found[3]}", page)


def table(families: Sequence[Family]) -> str:
    """Return one line for each metric."""
    lines = ["| metric | type | unit | labels | what it is | alerts |", "|---|---|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(_cells(family))} |" for family in families)])


def _cells(family: Family) -> tuple[str, ...]:
    alerts = ", ".join(name.removeprefix("Ringscope") for name in family.alerts)
    labels = ", ".join(family.labels)
    return (f"`{family.name}`", family.kind, family.unit, labels, family.help, alerts)


if __name__ == "__main__":
    fill()
