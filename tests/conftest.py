"""What every tier shares: how Hypothesis searches, and which tests are the gate's."""

from collections import defaultdict

import pytest
from hypothesis import settings

# How long an example takes says something about this machine's other work, and nothing about the code.
settings.register_profile("ringscope", deadline=None)
# The gate tries the same examples each time: what it finds was broken by the change at hand, and not found by chance.
settings.register_profile("gate", deadline=None, derandomize=True, database=None)
settings.load_profile("ringscope")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test marked ``matrix`` the gate keeps a sample with every value of every axis; the rest is long."""
    matrices: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("matrix"):
            matrices[item.nodeid.partition("[")[0]].append(item)
    for cases in matrices.values():
        sample = covering_sample([frozenset(case.callspec.indices.items()) for case in cases])  # type: ignore[attr-defined]
        for place, case in enumerate(cases):
            if place not in sample:
                case.add_marker(pytest.mark.long)


def covering_sample(cases: list[frozenset[tuple[str, int]]]) -> set[int]:
    """The places of few cases, each a set of (axis, value), in which every value occurs that occurs in any."""
    missing = set[tuple[str, int]]().union(*cases)
    sample: set[int] = set()
    while missing:
        best = max(range(len(cases)), key=lambda place: len(cases[place] & missing))
        sample.add(best)
        missing -= cases[best]
    return sample
