"""Cores are divided among the ranks of a node, and counted over the nodes of a gang."""

import os
from pathlib import Path

import pytest
from tests.engine.groups import Groups
from tests.engine.groups import groups as groups

from ringscope.engine import cores
from ringscope.engine.cores import RankCores, cores_each, own_cores, usable_cores


def place(*ours: int, machine: str = "a", group: str = "", most: int | None = None) -> RankCores:
    return RankCores(machine, group, frozenset(ours), most)


@pytest.mark.parametrize(("count", "shares", "each"), [(8, 4, 2), (8, 3, 2), (2, 4, 1), (6, 1, 6)])
def test_every_share_gets_as_many_and_at_least_one(
    monkeypatch: pytest.MonkeyPatch, count: int, shares: int, each: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(count)), raising=False)
    assert cores_each(shares) == each


@pytest.mark.parametrize(
    ("places", "count"),
    [
        ([place(0, 1)] * 4, 2),
        ([place(0, 1, 2, 3)] * 2, 2),  # more than they are is of no use to them
        ([place(0), place(1), place(2)], 3),  # each bound to its own
        ([place(0), place(0), place(1)], 2),
        ([place(0, 1, machine="a"), place(0, 1, machine="b")], 2),
        ([*[place(0, 1, machine="a")] * 4, place(*range(8), machine="b")], 3),  # its eight do not help the four
        ([place(*range(64), group="pod", most=2)] * 8, 2),
        ([place(*range(64), group="x", most=2)] * 2 + [place(*range(64), group="y", most=3)] * 4, 5),
        ([place(0, 1, group="x", most=2)] * 2 + [place(0, 1, group="y", most=2)] * 2, 2),  # two pods on the same two
        ([], 0),
    ],
)
def test_ranks_have_the_cores_of_their_machines(places: list[RankCores], count: int) -> None:
    assert usable_cores(places) == count


def test_a_place_is_read_from_the_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, groups: Groups) -> None:
    for cpu, siblings in enumerate(("0,2", "1,3", "0,2", "1,3")):
        folder = tmp_path / f"cpu{cpu}/topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(f"{siblings}\n")
    groups.belong("0::/kubepods/pod\n", ("/", "", ""))
    groups.write("kubepods", {"cpu.max": "150000 100000"})
    groups.write("kubepods/pod", {"cpu.max": "max 100000"})
    (tmp_path / "boot_id").write_text("e3b0c442\n")
    monkeypatch.setattr(cores, "_CPUS", tmp_path)
    monkeypatch.setattr(cores, "_BOOT_ID", tmp_path / "boot_id")
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 2, 3}, raising=False)
    found = own_cores()
    assert found == RankCores("e3b0c442", "cgroup:[1234]/kubepods/pod", frozenset({0, 1}), 1)
    assert found.at_once == 1


def test_this_machine_has_a_place() -> None:
    here = own_cores()
    assert here.machine
    assert 1 <= here.at_once <= (os.cpu_count() or 1)
