"""Rows for a fit out of JSON: ours, nccl-tests' own, and what is neither."""

from typing import Any

import pytest

from ringscope.bench.nccl_tests.document import to_json
from ringscope.bench.simulation import simulated_records
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.record import Hello, Measurement
from ringscope.cost.fitting.fit import fit
from ringscope.cost.fitting.measured_rows import Nodes
from ringscope.cost.fitting.samples import Sample, even, read

RING = {"transport": "simulated", "algorithms": ["ring"], "min_bytes": 1024, "max_bytes": 1 << 20, "step_factor": 4}
# One row of `all_reduce_perf -J` (nccl-tests 2.18) on two GPUs, cut down to what is read.
NCCL_TESTS: dict[str, Any] = {
    "version": 3,
    "args": ["/opt/nccl-tests/build/all_reduce_perf", "-b", "32M"],
    "config": {"devices": [{"rank": 0, "hostname": "a"}, {"rank": 1, "hostname": "a"}]},
    "results": [
        {
            "size": 33554432,
            "count": 8388608,
            "type": "float",
            "redop": "sum",
            "root": "    -1",
            "out_of_place": {"time": 120.5, "alg_bw": 278.5, "bus_bw": 278.5, "nwrong": 0},
            "in_place": {"time": 121.5, "alg_bw": 276.2, "bus_bw": 276.2, "nwrong": 0},
        }
    ],
}


def written(hosts: list[str] | None = None, **fields: Any) -> dict[str, Any]:
    spec = BenchmarkSpec.model_validate(RING | fields)
    rows = [record for record in simulated_records(spec, 0) if isinstance(record, Measurement)]
    ranks = [
        Hello(rank=i, local_rank=i, ranks=len(hosts or ()), pid=1, host=host, time_ns=0)
        for i, host in enumerate(hosts or ())
    ]
    document = to_json(spec, rows, ranks, [], "", "")
    return document | ({"simulated": None} if hosts else {})


@pytest.mark.parametrize("collective", ["all_reduce", "all_gather", "sendrecv"])
def test_what_bench_writes_comes_back(collective):
    found = read(written(topology={"shape": "4", "link": "ib200"}, collective=collective))
    assert (found.transport, found.nodes, found.left_out) == ("simulated", Nodes(), ())
    assert len(found.rows) == 12
    (regime,) = fit(found.rows).regimes
    assert regime.inter == pytest.approx((1.3e-6, 25e9), rel=1e-3), "adding takes no time"


def test_a_described_cluster_tells_its_nodes():
    for shape, nics, nodes in (("2x4", None, Nodes(4, None, 4)), ("2x4", 1, Nodes(4, 1)), ("1x4", None, Nodes())):
        assert read(written(topology={"shape": shape, "nics_per_node": nics})).nodes == nodes


def test_hosts_tell_the_nodes():
    cluster = {"shape": "4"}
    assert read(written(["a", "a", "b", "b"], topology=cluster)).nodes == Nodes(2)
    assert read(written(["a"] * 4, topology=cluster)).nodes == Nodes(), "all links are alike"
    assert read(written(["a", "a", "a", "b"], topology=cluster)).nodes is None
    assert even([1, 1, 1]) == Nodes(1)


def test_rows_in_channels_that_somebody_asked_for_are_refused():
    two_nodes, cluster = ["a", "a", "b", "b"], {"shape": "4"}
    document = written(two_nodes, topology=cluster)
    document["results"][-1] |= {"channels": 2}
    with pytest.raises(ValueError, match=r"^its rows are in 2 channels; use a run with the default number\.$"):
        read(document)
    for result in document["results"]:
        result |= {"channels": 2, "transport": "nccl"}
    assert read(document).nodes == Nodes(2, None, 2), "on GPUs these are the usual ones"


def test_the_median_counts_where_it_is_told():
    document = written(topology={"shape": "4"})
    document["results"][0]["out_of_place_per_iter"]["p50_us"] = 77.0
    assert read(document).rows[0].p50_us == 77.0


def test_wrong_elements_and_ranks_without_cores_are_doubts():
    document = written(["a"] * 4, topology={"shape": "4"})
    assert read(document).doubts == ()
    document["results"][0]["out_of_place"]["nwrong"] = 3
    document["results"][-1] |= {"cores": 2}
    assert read(document).doubts == (
        "3 elements of its rows were wrong.",
        "4 ranks on 2 cores: the ranks shared cores, which affects every time.",
    )
    assert read(NCCL_TESTS, "ring").doubts == (), "which does not tell its cores"


def test_nccl_tests_own_rows_need_the_name_of_their_algorithm():
    with pytest.raises(ValueError, match="its rows do not name the algorithm; name it, such as --algorithm ring"):
        read(NCCL_TESTS)
    found = read(NCCL_TESTS, "ring")
    assert found.rows == tuple(
        Sample("all_reduce", "ring", 2, 33554432, 8388608, time_us) for time_us in (120.5, 121.5)
    )
    assert found.transport == "nccl"


def test_a_choice_of_auto_counts_as_what_was_chosen():
    document = written(topology={"shape": "4"})
    for result in document["results"]:
        result["algorithm"] = "auto"
        for place in ("out_of_place", "in_place"):
            result[place]["chosen_algorithm"] = "ring"
    assert {row.algorithm for row in read(document).rows} == {"ring"}


def test_libraries_are_left_out():
    document = written(topology={"shape": "4"})
    document["results"][0] |= {"algorithm": "mpi", "transport": "mpi"}
    found = read(document)
    assert (found.left_out, len(found.rows), found.transport) == (("mpi",), 10, "simulated")
    for result in document["results"]:
        result["algorithm"] = "mpi"
    with pytest.raises(ValueError, match=r"no row has an algorithm with a schedule \(mpi\); measure ring"):
        read(document)


def test_two_transports_in_one_file_are_refused():
    document = written(topology={"shape": "4"})
    document["results"][0]["transport"] = "mpi"
    with pytest.raises(ValueError, match="mpi and simulated move data over different links"):
        read(document)


@pytest.mark.parametrize("document", [{}, [], None, "text", {"results": [{}], "config": {}}, {"results": 1}])
def test_what_is_no_sweep_is_refused(document):
    with pytest.raises(ValueError, match="it holds no sweep; give JSON of"):
        read(document)


def test_a_program_without_a_schedule_is_refused():
    with pytest.raises(ValueError, match="'gather_perf' is not a collective with a schedule; use one of all_reduce"):
        read(NCCL_TESTS | {"args": ["gather_perf"]}, "ring")
