"""A prediction gives the times and the duration of a sweep before it runs."""

import pytest
from tests.cost.test_fit import priced

from ringscope.bench.simulation import simulated_records
from ringscope.choice.chooser import Chooser
from ringscope.choice.prediction import MAX_SIZES, PredictedRow, is_crowded, predict
from ringscope.choice.situation import Situation
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.cluster import ClusterSpec
from ringscope.contracts.record import Measurement
from ringscope.contracts.tuning import Table, table_of
from ringscope.contracts.words.machine import Machine
from ringscope.contracts.words.topology import Link


def sweep(*algorithms: str, **fields: object) -> BenchmarkSpec:
    return BenchmarkSpec.model_validate({"algorithms": algorithms, "max_bytes": 1 << 20} | fields)


def times(rows: tuple[PredictedRow, ...], algorithm: str) -> dict[int, float]:
    return {row.size_bytes: row.time_us for row in rows if row.algorithm == algorithm}


def test_a_row_is_what_the_model_says_of_this_call():
    found = predict(sweep("ring", "mpi"), (2, 2), Table())
    chooser, situation = Chooser(Table()), Situation("all_reduce", "float32", (2, 2), "mpi")
    for name in ("ring", "mpi"):
        for size_bytes, time_us in times(found.rows, name).items():
            call = chooser.priced(situation, size_bytes, name)
            assert call is not None and time_us == pytest.approx(call.time_us)
    last = found.rows[-1]
    assert last.algbw_gb_per_s == pytest.approx(last.size_bytes / last.time_us / 1e3)
    assert last.busbw_gb_per_s == pytest.approx(last.algbw_gb_per_s * 1.5), "2(n-1)/n of four ranks"
    assert "parameters from another machine" in found.model and found.median_error is None
    assert found.unfitted == ("ring", "mpi")


def test_a_simulation_gives_what_was_predicted():
    spec = sweep("ring", "hierarchical", transport="simulated", topology=ClusterSpec(shape="2x4", link="ib200"))
    simulated = [record for record in simulated_records(spec, 0) if isinstance(record, Measurement)]
    for name in spec.algorithms:
        assert times(predict(spec, (1,), Table()).rows, name) == pytest.approx(
            {row.size_bytes: row.time_us for row in simulated if row.algorithm == name}
        )


def test_the_duration_counts_every_operation():
    spec = sweep("ring", min_bytes=1024, max_bytes=1024, iterations=100, aggregate=3, warmup=7, cycles=2)
    found = predict(spec, (4,), Table())
    each_us = times(found.rows, "ring")[1024]
    assert found.operations_seconds == pytest.approx((7 + 100 * 3 + 1) * each_us * 2 * 2 / 1e6)
    assert found.buffer_bytes == 2 * 1024


def test_between_the_sizes_that_are_priced_the_time_is_a_line():
    spec = sweep("ring", "direct", max_bytes=1 << 26)
    few, many = (predict(spec, nodes, Table()) for nodes in ((16, 16), (2,)))
    assert len(times(few.rows, "ring")) == len(times(many.rows, "ring")) == 24
    sizes = [*times(few.rows, "ring")]
    assert sizes == [*spec.sizes()]
    assert [*times(few.rows, "ring").values()] == sorted(times(few.rows, "ring").values())


def test_of_many_sizes_some_are_told_and_all_are_counted():
    found = predict(sweep("ring", min_bytes=1024, max_bytes=1 << 20, step_factor=None, step_bytes=1024), (2,), Table())
    sizes = [*times(found.rows, "ring")]
    assert (len(sizes), sizes[0], sizes[-1]) == (MAX_SIZES, 1024, 1 << 20)
    mean_us = sum(times(found.rows, "ring").values()) / MAX_SIZES
    assert found.operations_seconds == pytest.approx(26 * 1024 * 2 * mean_us / 1e6, rel=0.02)


def test_the_model_is_fitted_to_what_was_measured():
    slow_to_start = Link(1e-3, 1e11)
    rows = [priced("ring", 4, 64 << i, slow_to_start, None) for i in range(12)]
    known = table_of([one.model_copy(update={"transport": "shared_memory"}) for one in rows], [4])
    found = predict(sweep("ring", max_bytes=1024), (4,), known)
    assert "fitted to 12 measured rows" in found.model
    assert found.median_error is not None and found.median_error < 0.01
    assert found.unfitted == ()
    assert times(found.rows, "ring")[1024] == pytest.approx(6000, rel=0.01), "six messages of a millisecond"


def test_what_the_model_does_not_know_is_named():
    found = predict(sweep("ring", "gloo"), (2,), Table())
    assert (found.unpredicted, found.operations_seconds) == (("gloo",), None)
    found = predict(sweep("ring", "nccl", device="cuda"), (8,), Table())
    assert (found.unpredicted, found.rows) == (("ring", "nccl"), ())
    assert "cannot price" in found.model
    assert predict(sweep("double_tree"), (64,), Table()).unpredicted == ()
    shared = predict(sweep("direct", transport="mpi"), (4,) * 10, Table())
    assert shared.unpredicted == ("direct",), "messages that take turns on a card have a bound, which is no prediction"
    assert predict(sweep("auto"), (16, 16), Table()).unpredicted == ("auto",), "it would price every algorithm"
    assert predict(sweep("ring"), (1,), Table()).rows == (), "one rank sends nothing"


def test_auto_says_what_it_would_take():
    for found in predict(sweep("auto", max_bytes=65536), (4,), Table()).rows:
        assert found.chosen_algorithm not in (None, "auto")


def test_sizes_in_whole_parts_for_each_rank():
    found = predict(sweep("ring", collective="all_gather", min_bytes=8), (3,), Table())
    assert next(iter(times(found.rows, "ring"))) == 48, "smaller ones leave nothing to gather"


def test_the_knee_of_a_ring_is_latency_times_ranks_times_rate():
    cluster = ClusterSpec(shape="4x1", link="2GB/s", latency_us=10)
    spec = sweep("ring", transport="simulated", topology=cluster, max_bytes=1 << 22)
    (knee,) = predict(spec, (1,), Table()).knees
    assert (knee.algorithm, knee.size_bytes) == ("ring", pytest.approx(10e-6 * 4 * 2e9, rel=0.01))


def test_a_sweep_that_ends_before_the_knee_has_none_and_auto_neither():
    cluster = ClusterSpec(shape="4x1", link="10gbe")
    spec = sweep("ring", transport="simulated", topology=cluster, max_bytes=1024)
    assert predict(spec, (1,), Table()).knees == ()
    assert predict(sweep("auto"), (2, 2), Table()).knees == ()


def test_rings_in_other_channels_than_the_usual_are_not_predicted() -> None:
    assert predict(sweep("ring", "direct", channels=2), (2, 2), Table()).unpredicted == ("ring",)
    assert predict(sweep("ring", "direct", channels=1), (2, 2), Table()).unpredicted == ()


@pytest.mark.parametrize(("transport", "cores", "crowd"), [("auto", 2, True), ("auto", 4, False), ("nccl", 2, False)])
def test_ranks_are_crowded_in_host_memory_where_a_node_has_fewer_cores(transport: str, cores: int, crowd: bool) -> None:
    spec = BenchmarkSpec.model_validate({"transport": transport, "algorithms": ["ring"]})
    assert is_crowded(spec, (4,), Machine(cores=cores)) is crowd
    assert not is_crowded(spec, (4,), None), "nobody knows"
