"""`ringscope links` and `ringscope diagnose` on hosts with shaped links: rates, names, rounds and seconds."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.diagnosis import planted
from tests.cluster.hosts.cluster import Cluster
from tests.cluster.hosts.conftest import needs_namespaces
from tests.cluster.lab import free_port

from ringscope.lab.network import PAYLOAD_SHARE

pytestmark = needs_namespaces

BIT_PER_S = 200_000_000
PAYLOAD = BIT_PER_S / 8 * PAYLOAD_SHARE
RUNS = int(os.environ.get("RINGSCOPE_DIAGNOSIS_RUNS", "1"))
MOST_SECONDS = 90.0


def start(tmp_path_factory: pytest.TempPathFactory, hosts: int, slots: int = 1) -> Iterator[Cluster]:
    data_dir: Path = tmp_path_factory.mktemp(f"diagnosis{hosts}")
    cluster = Cluster(data_dir, free_port())
    try:
        cluster.start_server()
        up = cluster.run("lab", "up", "--hosts", str(hosts), "--rate", "200mbit", "--slots", str(slots))
        assert up.returncode == 0, up.stderr
        cluster.wait_until_ready()
        yield cluster
    finally:
        cluster.close()


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    yield from start(tmp_path_factory, 3, slots=2)


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    yield from start(tmp_path_factory, 4)


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    yield from start(tmp_path_factory, 8)


@pytest.fixture(scope="module")
def ten(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    yield from start(tmp_path_factory, 10)


def diagnosed(cluster: Cluster, *words: str) -> tuple[dict[str, Any], float]:
    began = time.monotonic()
    done = cluster.run("diagnose", "--json", *words)
    seconds = time.monotonic() - began
    assert done.stdout, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found, seconds


def test_a_link_of_half_the_rate_is_measured_and_shown(three: Cluster) -> None:
    three.hosts.degrade("h2", BIT_PER_S // 2, None, None)
    try:
        done = three.run("links", "--size", "256K", "--json")
    finally:
        three.hosts.heal("h2")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["rounds"] == 3 and len(found["pairs"]) == 3
    for pair in found["pairs"]:
        rate = PAYLOAD / 2 if "h2" in pair["nodes"] else PAYLOAD
        for way in (pair["there"], pair["back"]):
            assert (way["low"] + way["high"]) / 2 == pytest.approx(rate, rel=0.25), found["pairs"]
    with three.client() as client:
        assert {tuple(link.nodes) for link in client.links()} == {("h1", "h2"), ("h1", "h3"), ("h2", "h3")}


def test_two_ranks_of_a_host_measure_each_rail_by_itself(three: Cluster) -> None:
    done = three.run("links", "--nodes", "h1,h2", "--per", "rail", "--ranks-per-node", "2", "--size", "256K", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["decided"] and found["rounds"] == 2 and not found["blamed"], found
    assert [(sorted(pair["nodes"]), pair["rail"], pair["round"]) for pair in found["pairs"]] == [
        (["h1", "h2"], rail, rail) for rail in (0, 1)
    ]
    for pair in found["pairs"]:  # both rails share the host's only link, one after the other
        for way in (pair["there"], pair["back"]):
            assert (way["low"] + way["high"]) / 2 == pytest.approx(PAYLOAD, rel=0.25), found["pairs"]


@pytest.mark.long
@pytest.mark.parametrize("run", range(RUNS))
@pytest.mark.parametrize("host", ["h5", "h1"])
def test_a_host_of_half_the_rate_is_named(eight: Cluster, host: str, run: int) -> None:
    eight.hosts.degrade(host, BIT_PER_S // 2, None, None)
    try:
        found, seconds = diagnosed(eight)
    finally:
        eight.hosts.heal(host)
    assert [(each["kind"], each["names"]) for each in found["blamed"]] == [("node", [host])], found
    assert found["decided"] and found["rounds"] <= 5 and seconds < MOST_SECONDS


@pytest.mark.long
@pytest.mark.parametrize("run", range(RUNS))
def test_nobody_is_blamed_where_nothing_is_wrong(eight: Cluster, run: int) -> None:
    found, seconds = diagnosed(eight)
    assert found["blamed"] == [] and found["decided"], found
    assert seconds < MOST_SECONDS


@pytest.mark.long
@pytest.mark.parametrize("run", range(RUNS))
def test_a_host_that_is_cut_off_is_named(eight: Cluster, run: int) -> None:
    eight.hosts.cut("h6")
    try:
        found, seconds = diagnosed(eight)
    finally:
        eight.heal("h6")
        eight.wait_until_ready()
    assert [(each["kind"], each["names"]) for each in found["blamed"]] == [("node", ["h6"])], found
    assert seconds < MOST_SECONDS


@pytest.mark.long
def test_all_pairs_of_ten_hosts_take_nine_rounds(ten: Cluster) -> None:
    time.monotonic()
    done = ten.run("links", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["rounds"] == 9 and len(found["pairs"]) == 45
    off = [
        abs((way["low"] + way["high"]) / 2 / PAYLOAD - 1)
        for pair in found["pairs"]
        for way in (pair["there"], pair["back"])
    ]
    assert max(off) < 0.05


def max_width(found: dict[str, Any]) -> float:
    ways = [way for pair in found["pairs"] for way in (pair["there"], pair["back"])]
    return float(max(2 * (way["high"] - way["low"]) / (way["high"] + way["low"]) for way in ways))


@pytest.mark.long
@pytest.mark.parametrize("run", range(RUNS))
def test_a_link_that_is_slow_one_way_is_named_and_not_its_ends(eight: Cluster, run: int) -> None:
    healthy, _ = diagnosed(eight)
    with eight.client() as client:
        source, destination = client.diagnosis(healthy["job"]).nodes[2:4]  # neighbours in the ring
    with planted.slow_one_way(eight.hosts, source, destination, BIT_PER_S // 2):
        found, seconds = diagnosed(eight)
    (blamed,) = found["blamed"]
    assert (blamed["kind"], set(blamed["names"])) == ("link", {source, destination}), found
    assert found["rounds"] <= 5 and seconds < MOST_SECONDS


@pytest.mark.long
@pytest.mark.parametrize("places", [(2, 3), (0, 3)])
def test_a_link_that_is_cut_before_the_start_is_named_and_not_its_ends(four: Cluster, places: tuple[int, int]) -> None:
    """The second pair has the node of rank 0 and of the launcher."""
    one, other = (four.names[place] for place in places)
    with planted.cut_link(four.hosts, one, other):
        found, seconds = diagnosed(four)
    (blamed,) = found["blamed"]
    assert (blamed["kind"], set(blamed["names"])) == ("link", {one, other}), found
    assert seconds < MOST_SECONDS
