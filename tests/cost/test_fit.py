"""Fits: parameters that are known come back; measured rows are described, and sizes that were held out predicted."""

import json
import random
from math import log
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import examples

from ringscope.contracts.record import Measurement
from ringscope.contracts.words.collectives import REDUCING, SCHEDULED, elements
from ringscope.contracts.words.topology import Link, Topology, flat
from ringscope.cost.fitting.fit import fit, held_out
from ringscope.cost.fitting.measured_rows import Nodes
from ringscope.cost.timeline import simulate
from ringscope.schedules.algorithms import SCHEDULES, build

SIZES = [4 << i for i in range(24)]


def row(
    algorithm: str,
    ranks: int,
    size_bytes: int,
    time_s: float,
    transport: str = "mpi",
    collective: str = "all_reduce",
    count: int | None = None,
) -> Measurement:
    time_us = time_s * 1e6
    return Measurement(
        collective=collective,
        algorithm=algorithm,
        transport=transport,
        in_place=False,
        size_bytes=size_bytes,
        count=size_bytes // 4 if count is None else count,
        dtype="float32",
        op="sum",
        ranks=ranks,
        time_us=time_us,
        algbw_gb_per_s=0.0,
        busbw_gb_per_s=0.0,
        wrong=None,
        min_us=time_us,
        mean_us=time_us,
        p50_us=time_us,
        p95_us=time_us,
        p99_us=time_us,
        max_us=time_us,
        stdev_us=0.0,
        cv_percent=0.0,
        iterations=1,
        time_ns=0,
    )


def priced(algorithm: str, ranks: int, size_bytes: int, link: Link, reduce_bytes_per_s: float | None) -> Measurement:
    schedule = SCHEDULES[algorithm](ranks, size_bytes // 4)
    return row(algorithm, ranks, size_bytes, simulate(schedule, 4, flat(ranks, link, reduce_bytes_per_s)).seconds)


@examples(15)
@given(st.floats(1e-7, 1e-4), st.floats(1e8, 1e11), st.floats(1e8, 1e11))
def test_known_parameters_come_back(latency_s, bytes_per_s, reduce_bytes_per_s):
    link = Link(latency_s, bytes_per_s)
    rows = [priced(a, 4, s, link, reduce_bytes_per_s) for a in ("ring", "recursive_doubling") for s in SIZES]
    found = fit(rows)
    (regime,) = found.regimes
    assert regime.latency_s == pytest.approx(latency_s, rel=1e-4)
    assert 1 / regime.send_s_per_byte == pytest.approx(bytes_per_s, rel=1e-4)
    assert regime.reduce_s_per_byte == pytest.approx(1 / reduce_bytes_per_s, rel=1e-3)
    assert found.median_error < 1e-6
    assert found.r_squared == pytest.approx(1)


def test_one_algorithm_cannot_tell_adding_from_sending():
    (regime,) = fit([priced("ring", 4, s, Link(1e-5, 1e9), 4e9) for s in SIZES]).regimes
    assert regime.reduce_s_per_byte is None
    assert regime.send_s_per_byte == pytest.approx(1e-9 + 0.5 / 4e9), "the ring adds half as much as it sends"


@pytest.mark.parametrize("collective", sorted(SCHEDULED))
def test_every_collective_teaches_the_same_links(collective):
    link, cluster = Link(2e-6, 5e9), flat(4, Link(2e-6, 5e9), 8e9)
    rows = []
    for algorithm in SCHEDULED[collective]:
        for size in SIZES[4:]:
            count, total = elements(collective, size, 4, 4)
            seconds = simulate(build(algorithm, 4, total, collective=collective), 4, cluster).seconds
            rows.append(row(algorithm, 4, total * 4, seconds, collective=collective, count=count))
    found = fit(rows)
    (regime,) = found.regimes
    assert found.median_error < 1e-6
    if regime.reduce_s_per_byte is not None or collective not in ("reduce_scatter", "reduce"):
        assert regime.inter.latency_s == pytest.approx(link.latency_s, rel=1e-4)
        assert regime.inter.bytes_per_s == pytest.approx(link.bytes_per_s, rel=1e-4)
    if collective not in REDUCING:
        assert not regime.reduce_s_per_byte, "nothing is added"


INTER, INTRA = Link(5e-6, 2e9), Link(8e-7, 30e9)


def on_nodes(algorithms: list[str], nodes: Nodes, ranks: int = 8, adds: float = 12e9) -> list[Measurement]:
    cluster = Topology(ranks, INTER, INTRA, *nodes, reduce_bytes_per_s=adds)
    return [
        row(a, ranks, s, simulate(build(a, ranks, s // 4, cluster.nodes), 4, cluster).seconds)
        for a in algorithms
        for s in SIZES
    ]


@pytest.mark.parametrize("nodes", [Nodes(4), Nodes(4, 1), Nodes(2), Nodes(2, 1)])
def test_links_inside_nodes_and_between_them_come_back_apart(nodes):
    found = fit(on_nodes(["ring", "hierarchical", "recursive_doubling", "tree"], nodes), nodes=nodes)
    (regime,) = found.regimes
    assert regime.intra is not None
    assert (*regime.inter, *regime.intra) == pytest.approx((*INTER, *INTRA), rel=1e-2)
    assert found.median_error < 1e-3
    unseen = Topology(16, INTER, INTRA, *nodes, reduce_bytes_per_s=12e9)
    expected = simulate(build("hierarchical", 16, 1 << 18, unseen.nodes), 4, unseen).seconds
    assert found.seconds("hierarchical", 16, 1 << 18, 4) == pytest.approx(expected, rel=1e-2)
    assert found.topology(16, 1e6).intra == regime.intra


def test_rows_that_cannot_tell_two_kinds_of_links_are_refused():
    with pytest.raises(ValueError, match="rows: they do not separate the links inside nodes from those between"):
        fit(on_nodes(["tree"], Nodes(4)), nodes=Nodes(4))


def test_the_worst_rows_are_named_first():
    rows = [priced("ring", 4, s, Link(1e-5, 1e9), None) for s in SIZES]
    odd = rows[7].model_copy(update={"p50_us": rows[7].p50_us * 3})
    found = fit([*rows[:7], odd, *rows[8:]])
    (first, log_ratio), second = found.worst(2)
    assert first == odd
    assert log_ratio == pytest.approx(log(1 / 3), rel=0.1)
    assert abs(second[1]) < 0.1


def test_disturbed_rows_do_not_spoil_the_fit():
    random.seed(7)
    rows = [priced("ring", 4, s, Link(1e-5, 1e9), None) for s in SIZES]
    disturbed = [
        r.model_copy(update={"p50_us": r.p50_us * (20 if i % 6 == 3 else random.uniform(0.97, 1.03))})
        for i, r in enumerate(rows)
    ]
    found = fit(disturbed)
    assert found.regimes[0].latency_s == pytest.approx(1e-5, rel=0.1)
    assert found.regimes[0].send_s_per_byte == pytest.approx(1e-9, rel=0.1)
    assert found.median_error < 0.05


def test_a_change_of_protocol_is_found():
    eager, rendezvous = Link(1e-6, 1e9), Link(20e-6, 10e9)
    rows = [priced("ring", 2, s, eager if s <= 1 << 14 else rendezvous, None) for s in SIZES]
    one, two = fit(rows), fit(rows, max_regimes=3)
    assert one.median_error > 0.1
    assert two.median_error < 1e-6
    assert [r.latency_s for r in two.regimes] == pytest.approx([1e-6, 20e-6])
    assert 1 << 13 < two.regimes[0].below_bytes < 1 << 14, "messages are half of the size"
    assert two.topology(2, 1 << 20).inter.bytes_per_s == pytest.approx(10e9)
    assert two.seconds("ring", 4, 1 << 20, 4) == pytest.approx(
        simulate(SCHEDULES["ring"](4, 1 << 20), 4, flat(4, rendezvous)).seconds
    )


def test_no_regimes_are_invented():
    rows = [priced("ring", 2, s, Link(1e-6, 1e9), None) for s in SIZES]
    noisy = [r.model_copy(update={"p50_us": r.p50_us * (1.05 if i % 2 else 0.95)}) for i, r in enumerate(rows)]
    assert len(fit(noisy, max_regimes=4).regimes) == 1


def measured(transport: str) -> list[Measurement]:
    """Medians of 100 iterations, 2 ranks of one node, MPICH 5.0, from `ringscope bench`."""
    table = json.loads(Path(__file__).with_name("measured_two_ranks.json").read_text())
    return [row(a, 2, size, p50_us / 1e6, transport) for a, size, p50_us in table[transport]]


@pytest.mark.parametrize("transport", ["mpi", "shared_memory"])
def test_half_of_the_measured_sizes_predicts_the_other_half_within_15_percent(transport):
    found, errors = held_out(measured(transport), max_regimes=4)
    assert median(map(abs, errors)) < 0.15
    assert found.r_squared > 0.95


def test_rows_without_a_schedule_are_refused():
    with pytest.raises(ValueError, match="rows: mpi has no schedule to price; leave its rows out"):
        fit([row("mpi", 2, 8, 1e-6)])


def test_too_few_rows_are_refused():
    with pytest.raises(ValueError, match="rows: a fit needs 3 different sizes"):
        fit([row("ring", 2, 8, 1e-6), row("ring", 2, 8, 2e-6), row("ring", 1, 16, 1e-6), row("ring", 2, 0, 1e-6)])
