"""Settings that every tier shares: how Hypothesis searches, and which tests belong to the gate."""

import gc
import sys
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable
from pathlib import Path

import pytest
from hypothesis import settings

gc.disable()  # until all tests are loaded: what they import stays, and would be looked through again and again

Value = tuple[str, str]  # of a matrix: the name of an axis, and one of its values

WHOLLY_LONG = "\npytestmark = pytest.mark.long\n"

# How long an example takes says something about this machine's other work, and nothing about the code.
EXAMPLES = 100
settings.register_profile("ringscope", deadline=None, max_examples=EXAMPLES)
# The gate tries a part of the examples, and the same each time: what it finds was broken by the change at hand, and not
# found by chance.
settings.register_profile("gate", deadline=None, derandomize=True, database=None, max_examples=25)
settings.load_profile("ringscope")


def examples(count: int) -> settings:
    """Return settings for a search that needs more or fewer examples than others.

    In the gate it gets the same part of its examples as other searches, and ten at least.
    """
    return settings(max_examples=max(min(count, 10), count * settings().max_examples // EXAMPLES))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The gate does not even load a module that is long as a whole: some load much."""
    is_gate = config.getoption("markexpr") == "not long"
    is_module = collection_path.suffix == ".py" and collection_path.name.startswith("test_")
    return True if is_gate and is_module and WHOLLY_LONG in collection_path.read_text() else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The gate keeps some cases of a test with many; the others are long.

    Of a test marked ``matrix`` a sample with every value of every axis, of one marked ``sample(count)`` the first ones.
    """
    matrices: dict[str, list[pytest.Item]] = defaultdict(list)
    seen: Counter[str] = Counter()
    for item in items:
        if item.get_closest_marker("matrix"):
            matrices[item.nodeid.partition("[")[0]].append(item)
        if sampled := item.get_closest_marker("sample"):
            seen[item.nodeid.partition("[")[0]] += 1
            if seen[item.nodeid.partition("[")[0]] > sampled.args[0]:
                item.add_marker(pytest.mark.long)
    for cases in matrices.values():
        sample = covering_sample([[(axis, repr(value)) for axis, value in _parameters(case)] for case in cases])
        for place, case in enumerate(cases):
            if place not in sample:
                case.add_marker(pytest.mark.long)


def pytest_collection_finish() -> None:
    """Keep loaded modules out of garbage collection, which otherwise costs up to an eighth of all time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the last lines of servers and agents, and what the page showed, to the report of a failed test."""
    report = yield
    if report.failed:
        labs = sys.modules.get("tests.cluster.lab")
        if labs is not None:
            report.sections += [words for lab in list(labs.LABS) for words in lab.last_words()]
        visit = getattr(item, "funcargs", {}).get("visit")
        if visit is not None:
            report.sections.append(("the page", visit.last_look()))
    return report


def covering_sample(cases: list[list[Value]]) -> set[int]:
    """The places of few cases in which every value occurs that occurs in any, each about as often as the others."""
    missing = {value for case in cases for value in case}
    used: Counter[Value] = Counter()
    sample: set[int] = set()

    def gain(place: int) -> tuple[int, int]:
        return len(missing.intersection(cases[place])), -sum(used[value] for value in cases[place])

    while missing:
        best = max(range(len(cases)), key=gain)
        sample.add(best)
        used.update(cases[best])
        missing.difference_update(cases[best])
    return sample


def _parameters(case: pytest.Item) -> Iterable[tuple[str, object]]:
    assert isinstance(case, pytest.Function)
    parameters: dict[str, object] = case.callspec.params
    return parameters.items()
