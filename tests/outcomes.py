"""A pytest plugin that tells the runner of the tiers what came of each test, and how long it took.

    python -m pytest -p tests.outcomes --outcomes FILE …

The file holds one line of JSON a test: {"test", "outcome", "seconds", "tries", "before"}; the outcome is passed, failed
or skipped. A test that passed after more than one try is flaky: pytest-rerunfailures gave it a second chance, and
``before`` is what the last try that failed said.
"""

import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest


@dataclass
class Told:
    """The outcome of a test: the worst one of its last try's phases, and the time of all its tries."""

    test: str
    outcome: str = "passed"
    seconds: float = 0.0
    tries: int = 1
    before: str = ""


class Outcomes:
    """Follows the reports of one process, which has those of all workers where pytest-xdist has any."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.told: dict[str, Told] = defaultdict(lambda: Told(""))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        told = self.told[report.nodeid]
        told.test = report.nodeid
        told.seconds += report.duration
        if report.outcome == "rerun":  # type: ignore[comparison-overlap]  # of pytest-rerunfailures
            told.tries += 1
            crash = getattr(report.longrepr, "reprcrash", None)
            told.before = crash.message.partition("\n")[0] if crash is not None else ""
        elif report.failed or (report.skipped and told.outcome == "passed"):
            told.outcome = report.outcome

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.told[report.nodeid] = Told(report.nodeid, "failed")

    def pytest_sessionfinish(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(f"{json.dumps(asdict(told))}\n" for told in self.told.values()))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--outcomes", type=Path, help="write what came of each test to this file, as lines of JSON")


def pytest_configure(config: pytest.Config) -> None:
    path: Path | None = config.getoption("--outcomes")
    if path is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Outcomes(path), "outcomes")
