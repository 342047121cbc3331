"""How cores are shared out."""

import os

import pytest

from ringscope.rank.cores import cores_each


@pytest.mark.parametrize(("cores", "shares", "each"), [(8, 4, 2), (8, 3, 2), (2, 4, 1), (6, 1, 6)])
def test_every_share_gets_as_many_and_at_least_one(
    monkeypatch: pytest.MonkeyPatch, cores: int, shares: int, each: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(cores)), raising=False)
    assert cores_each(shares) == each
