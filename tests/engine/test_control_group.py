"""Limits of control groups of both versions, wherever they are mounted and nested."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.engine.groups import Groups
from tests.engine.groups import groups as groups

from ringscope.engine.control_group import (
    free_bytes,
    free_processes,
    most_bytes,
    most_cores,
    own_group,
)

MIB = 1 << 20


def test_without_groups_nothing_is_limited(groups: Groups) -> None:
    assert (own_group(), most_cores(), most_bytes(), free_bytes()) == ("", None, None, None)
    assert free_processes() is None


def test_version_2_limits_by_the_group_and_all_above_it(groups: Groups) -> None:
    groups.belong("0::/pods/pod\n", ("/", "", ""))
    groups.write("pods", {"cpu.max": "150000 100000", "memory.max": 8 * MIB, "memory.current": MIB, "memory.stat": ""})
    groups.write("pods/pod", {"cpu.max": "400000 100000", "memory.max": "max", "pids.max": 50, "pids.current": 20})
    assert own_group() == "cgroup:[1234]/pods/pod"
    assert (most_cores(), most_bytes(), free_bytes(), free_processes()) == (1, 8 * MIB, 7 * MIB, 30)


def test_version_1_limits_by_each_controllers_own_tree(groups: Groups) -> None:
    text = "9:memory:/docker/a\n4:cpu,cpuacct:/docker/a\n2:pids:/\n1:name=systemd:/x\n"
    trees = [("/", "cpu,cpuacct", "cpu,cpuacct"), ("/", "memory", "memory")]
    groups.belong(text, *trees, ("/", "pids", "pids"), ("/", "systemd", "name=systemd"))
    groups.write("cpu,cpuacct/docker", {"cpu.cfs_quota_us": 250000, "cpu.cfs_period_us": 100000})
    groups.write("cpu,cpuacct/docker/a", {"cpu.cfs_quota_us": -1, "cpu.cfs_period_us": 100000})
    groups.write("memory", {"memory.limit_in_bytes": 9223372036854771712, "memory.usage_in_bytes": 0})
    stat = f"inactive_file 9\ntotal_inactive_file {MIB}\ntotal_active_file {MIB}"
    limit = {"memory.limit_in_bytes": 8 * MIB, "memory.usage_in_bytes": 4 * MIB, "memory.stat": stat}
    groups.write("memory/docker/a", limit)
    assert own_group() == "cgroup:[1234]/docker/a"
    assert (most_cores(), most_bytes(), free_bytes()) == (2, 8 * MIB, 6 * MIB)


def test_a_hybrid_system_is_limited_by_either_version(groups: Groups) -> None:
    groups.belong("4:cpu:/a\n0::/b\n", ("/", "cpu", "cpu"), ("/", "unified", ""))
    groups.write("cpu/a", {"cpu.cfs_quota_us": 300000, "cpu.cfs_period_us": 100000})
    groups.write("unified/b", {"pids.max": 9, "pids.current": 1})
    assert (most_cores(), free_processes()) == (3, 8)


@pytest.mark.parametrize("root", ["/docker/a", "/../..", "/docker"])
def test_in_a_container_the_group_is_looked_for_below_what_is_mounted(groups: Groups, root: str) -> None:
    groups.belong("4:cpu:/docker/a\n", (root, "cpu", "cpu"))
    folder = "cpu/a" if root == "/docker" else "cpu"
    groups.write(folder, {"cpu.cfs_quota_us": 100000, "cpu.cfs_period_us": 100000})
    assert most_cores() == 1


@pytest.mark.parametrize(
    ("controller", "files"),
    [("cpu", {"cpu.cfs_quota_us": "100000"}), ("cpuset", {"cpuset.mems": "0", "cpuset.cpus": "0"})],
)
def test_a_real_limit_of_one_core_gives_one_slot(controller: str, files: dict[str, str]) -> None:
    group = Path("/sys/fs/cgroup", controller, f"ringscope-test-{os.getpid()}")
    try:
        group.mkdir()
    except OSError:
        pytest.skip("control groups of version 1 cannot be made here")
    try:
        for name, content in files.items():
            (group / name).write_text(content)
        look = "import ringscope.engine.cores as c; print(c.own_cores().at_once)"
        joins = f"echo $$ > {group}/cgroup.procs; exec {sys.executable} -c '{look}'"
        done = subprocess.run(["sh", "-c", joins], capture_output=True, text=True, check=True)
        assert done.stdout == "1\n"
    finally:
        group.rmdir()
