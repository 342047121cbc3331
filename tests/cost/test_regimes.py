"""Parameters by regimes: the regime that a schedule's own messages fall into prices it; and they survive JSON."""

from math import inf

import pytest

from ringscope.contracts.words.topology import Link, Topology, flat
from ringscope.cost.fitting.fit import fit
from ringscope.cost.fitting.fit_document import FitDocument, document
from ringscope.cost.fitting.measured_rows import Nodes
from ringscope.cost.fitting.regimes import Regime, regime_of, timeline
from ringscope.cost.fitting.samples import Sample
from ringscope.cost.timeline import simulate
from ringscope.schedules.algorithms import SCHEDULES, build

EAGER, RENDEZVOUS = Link(1e-6, 1e9), Link(20e-6, 10e9)
TWO = (Regime(1 << 14, 1e-6, 1e-9, None), Regime(inf, 20e-6, 1e-10, None))


@pytest.mark.parametrize(("count", "link"), [(1 << 10, EAGER), (1 << 20, RENDEZVOUS)])
def test_the_size_of_the_messages_decides_and_not_that_of_the_buffer(count, link):
    schedule = SCHEDULES["ring"](8, count)
    found = timeline(TWO, schedule, 4, flat(8, Link(1.0, 1.0)))
    assert found.seconds == simulate(schedule, 4, flat(8, link)).seconds
    assert found.topology.inter == pytest.approx(link)
    sixteen_kib = SCHEDULES["ring"](8, 1 << 14)  # a buffer of 64 KiB, messages of 8 KiB
    assert timeline(TWO, sixteen_kib, 4, flat(8, Link(1.0, 1.0))).topology.inter == pytest.approx(EAGER)


def test_a_border_belongs_to_the_regime_above():
    assert [regime_of(TWO, size) for size in (0, (1 << 14) - 1, 1 << 14, 1e18)] == [TWO[0], TWO[0], TWO[1], TWO[1]]


def test_links_inside_nodes_stay_where_a_fit_says_nothing_about_them():
    shape = Topology(8, Link(1.0, 1.0), Link(3e-6, 9e9), 4, nics_per_node=1)
    assert TWO[1].on(shape) == Topology(8, Link(20e-6, 10e9), Link(3e-6, 9e9), 4, nics_per_node=1)
    both = Regime(inf, 1e-6, 1e-9, 1e-10, 2e-7, 1e-11)
    assert both.on(shape).intra == pytest.approx(Link(2e-7, 1e11))
    assert both.on(shape).reduce_bytes_per_s == pytest.approx(1e10)


def test_a_link_that_costs_nothing_for_bytes_prices_to_latency_alone():
    regimes = (Regime(inf, 1e-6, 0.0, None),)
    for shape in (flat(4, Link(1.0, 1.0)), Topology(4, Link(1.0, 1.0), Link(1e-6, 1e18), 2, nics_per_node=1)):
        schedule = build("ring", 4, 1 << 20, shape.nodes)
        assert timeline(regimes, schedule, 4, shape).seconds == pytest.approx(6e-6, rel=1e-3)


def test_a_fit_survives_json():
    cluster = flat(4, EAGER, 3e9)
    rows = [
        Sample("all_reduce", a, 4, s, s // 4, simulate(build(a, 4, s // 4), 4, cluster).seconds * 1e6)
        for a in ("ring", "tree")
        for s in (1 << 10, 1 << 14, 1 << 18)
    ]
    found = fit(rows)
    told = document(found, "mpi")
    again = FitDocument.model_validate_json(told.model_dump_json())
    assert again.parameters() == found.regimes
    assert (again.transport, again.ranks_per_node, found.nodes) == ("mpi", 1, Nodes())
    assert [residual.log_ratio for residual in again.residuals] == [ratio for _, ratio in found.worst(6)]
    assert again.residuals[0].model_us == pytest.approx(again.residuals[0].measured_us)
