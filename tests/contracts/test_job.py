"""The job specification, and the sentences about bad input."""

from typing import get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.findings import field_errors, pointer
from ringscope.contracts.job import JobSpec, NewJob, Placement
from ringscope.contracts.words.collectives import ALGORITHMS, COLLECTIVES, SCHEDULED, nameable
from ringscope.contracts.words.dtypes import DTYPES, OPS, DType, Op, ops_of
from ringscope.schedules.algorithms import BUILDERS


def test_every_dtype_may_be_asked_for_with_every_op_that_it_has() -> None:
    assert (get_args(DType), get_args(Op)) == (DTYPES, OPS)
    for dtype in DTYPES:
        for op in ops_of(dtype):
            assert BenchmarkSpec.model_validate({"dtype": dtype, "op": op}).op == op
    assert BenchmarkSpec(collective="broadcast", dtype="complex64", op="max").dtype == "complex64", (
        "nothing is combined"
    )


SIMULATION = {"transport": "simulated", "topology": {"shape": "2x4", "link": "ib200"}}


def test_a_simulation_is_one_process_whatever_it_simulates() -> None:
    spec = JobSpec.model_validate({"benchmark": SIMULATION | {"root": 7, "collective": "reduce"}})
    assert (spec.placement.ranks, spec.ranks, spec.benchmark.is_simulated) == (1, 8, True)
    assert JobSpec.model_validate_json(spec.model_dump_json()) == spec
    measured = JobSpec(placement=Placement(ranks=4))
    assert (measured.ranks, measured.benchmark.is_simulated) == (4, False)


def test_sizes_step_as_nccl_tests_does() -> None:
    assert list(BenchmarkSpec(min_bytes=8, max_bytes=100, step_factor=3).sizes()) == [8, 24, 72]
    assert list(BenchmarkSpec(min_bytes=8, max_bytes=8).sizes()) == [8]
    assert list(BenchmarkSpec(min_bytes=0, max_bytes=64).sizes()) == [0]
    assert list(BenchmarkSpec(min_bytes=0, max_bytes=100, step_bytes=40).sizes()) == [0, 40, 80]
    assert list(BenchmarkSpec(min_bytes=8, max_bytes=88, step_bytes=40).sizes()) == [8, 48, 88]


@pytest.mark.parametrize("step", [{"step_bytes": 7}, {"step_bytes": 1000}, {"step_factor": 3}])
def test_sizes_are_counted_as_they_are_listed(step: dict[str, int]) -> None:
    spec = BenchmarkSpec.model_validate({"min_bytes": 5, "max_bytes": 1000} | step)
    assert spec.size_count() == len(list(spec.sizes()))


def test_every_size_is_measured_with_every_algorithm_both_ways() -> None:
    spec = BenchmarkSpec(algorithms=("ring", "mpi"), min_bytes=8, max_bytes=32)
    assert spec.measurement_count() == 3 * 2 * 2
    assert spec.model_copy(update={"cycles": 3}).measurement_count() == 3 * 3 * 2 * 2


def test_a_specification_survives_json_and_never_changes() -> None:
    spec = JobSpec(name="x", placement=Placement(ranks=4, selector={"rack": "a"}))
    assert JobSpec.model_validate_json(spec.model_dump_json()) == spec
    stepped = BenchmarkSpec(step_bytes=1 << 20)
    assert stepped.step_factor is None
    assert BenchmarkSpec.model_validate_json(stepped.model_dump_json()) == stepped
    with pytest.raises(ValidationError):
        spec.name = "y"  # type: ignore[misc]


def test_very_many_algorithms_are_too_many_before_they_are_looked_at() -> None:
    with pytest.raises(ValidationError, match="too_long"):
        BenchmarkSpec.model_validate({"algorithms": ["ring"] * 100_000})


@pytest.mark.parametrize(
    ("body", "where", "words"),
    [
        ({"benchmark": {"min_bytes": 16, "max_bytes": 8}}, "/benchmark/min_bytes", "lower min_bytes or raise"),
        ({"placement": {"nodes": 3, "ranks": 2}}, "/placement/nodes", "lower nodes or raise ranks"),
        ({"placement": {"nodes": 2, "ranks": 8, "ranks_per_node": 2}}, "/placement/nodes", "leave out one of"),
        (
            {"placement": {"node_names": ["a", "b"], "ranks": 1}},
            "/placement/node_names",
            "name fewer nodes or raise ranks",
        ),
        ({"placement": {"node_names": ["a", "a"]}}, "/placement/node_names", "a is listed twice; name each node once"),
        ({"placement": {"node_names": ["a", "b"], "nodes": 1}}, "/placement/nodes", "leave out nodes"),
        ({"placement": {"node_names": ["a"], "ranks_per_node": 1}}, "/placement/ranks_per_node", "leave out ranks_per"),
        (
            {"kind": "training", "training": {"strategy": "mirrored"}, "placement": {"node_names": ["a", "b"]}},
            "/placement/node_names",
            "leave node_names out",
        ),
        (
            {"benchmark": {"dtype": "float8"}},
            "/benchmark/dtype",
            "unknown dtype 'float8'; choose one of int8, uint8, int32, uint32, ",
        ),
        (
            {"benchmark": {"dtype": "int16"}},
            "/benchmark/dtype",
            "benchmark.dtype: int16 is not supported, as NCCL has no such type; convert to int32.",
        ),
        (
            {"benchmark": {"dtype": "complex64", "op": "max"}},
            "/benchmark/op",
            "benchmark.op: max is not defined for complex64; choose sum or avg, or a real dtype.",
        ),
        (
            {"benchmark": {"collective": "broadcast", "algorithms": ["tree", "direct"]}},
            "/benchmark/algorithms/1",
            "broadcast has no algorithm direct; choose from auto, ring, tree, naive, mpi, nccl.",
        ),
        (
            {"benchmark": {"collective": "reduce", "root": 2}},
            "/benchmark/root",
            "2 is not one of 2 ranks; give 0 to 1.",
        ),
        (
            {"benchmark": {"transport": "simulated"}},
            "/benchmark/topology",
            'topology: a simulation needs a cluster; describe one, such as {"shape": "4x8", "link": "ib200"}.',
        ),
        (
            {"benchmark": {"transport": "mpi", "topology": {"shape": "4"}}},
            "/benchmark/topology",
            "only transport simulated takes a described cluster, not mpi; leave one out.",
        ),
        (
            {"benchmark": SIMULATION | {"algorithms": ["ring", "mpi"]}},
            "/benchmark/algorithms/1",
            "mpi has no schedule to simulate; leave it out.",
        ),
        (
            {"benchmark": SIMULATION | {"channels": 2}},
            "/benchmark/channels",
            "benchmark.channels: a simulation uses the channels of its cluster; set topology.channels.",
        ),
        (
            {"benchmark": {"channels": 3}, "placement": {"ranks": 8, "ranks_per_node": 2}},
            "/benchmark/channels",
            "benchmark.channels: 3 cannot each leave a node of 2 through a different rank; give 1 to 2.",
        ),
        (
            {"benchmark": {"channels": 4}, "placement": {"ranks": 7, "nodes": 2}},
            "/benchmark/channels",
            "4 cannot each leave a node of 3 through a different rank; give 1 to 3.",
        ),
        (
            {"benchmark": {"channels": 3}, "placement": {"ranks": 2}},
            "/benchmark/channels",
            "3 cannot each leave a node of 2 through a different rank; give 1 to 2.",
        ),
        (
            {"benchmark": SIMULATION | {"device": "cuda"}},
            "/benchmark/device",
            "a simulation runs on no device; leave it at auto.",
        ),
        (
            {"benchmark": SIMULATION, "placement": {"ranks": 8}},
            "/placement/ranks",
            "a simulation is one process; set ranks to 1, and the number of simulated ranks in "
            "benchmark.topology.shape.",
        ),
        (
            {"benchmark": SIMULATION | {"collective": "broadcast", "root": 8}},
            "/benchmark/root",
            "8 is not one of 8 ranks; give 0 to 7.",
        ),
        (
            {"benchmark": {"transport": "simulated", "topology": {"shape": "65x8"}}},
            "/benchmark/topology/shape",
            "benchmark.topology.shape: 520 ranks are too many to simulate message by message; give 512 or fewer,",
        ),
        (
            {"benchmark": {"transport": "simulated", "topology": {"shape": "2x4", "nics_per_node": 5}}},
            "/benchmark/topology/nics_per_node",
            "benchmark.topology.nics_per_node: 5 cards are more than a node has ranks;",
        ),
        (
            {"benchmark": {"device": "cpu", "algorithms": ["ring", "nccl"]}},
            "/benchmark/device",
            "benchmark.device: device cpu needs host memory but algorithm nccl GPU memory; leave one out.",
        ),
        (
            {"benchmark": {"transport": "cuda_ipc", "algorithms": ["ring", "mpi"]}},
            "/benchmark/device",
            "transport cuda_ipc needs GPU memory but algorithm mpi host memory; leave one out.",
        ),
        (
            {"benchmark": {"transport": "cuda_ipc", "algorithms": ["nccl"]}},
            "/benchmark/device",
            "algorithm nccl does not work over transport cuda_ipc; choose transport nccl or auto.",
        ),
        (
            {"benchmark": {"device": "cuda", "algorithms": ["ring", "mpi"]}},
            "/benchmark/device",
            "device cuda needs GPU memory but algorithm mpi host memory; leave one out.",
        ),
        (
            {"benchmark": {"device": "cuda", "transport": "mpi", "algorithms": ["ring", "nccl"]}},
            "/benchmark/device",
            "algorithm nccl does not work over transport mpi; choose transport nccl or auto.",
        ),
        (
            {"benchmark": {"device": "cuda", "transport": "mpi", "algorithms": ["gloo"]}},
            "/benchmark/device",
            "device cuda needs GPU memory but algorithm gloo host memory; leave one out.",
        ),
        (
            {"benchmark": {"step_bytes": 64, "step_factor": 2}},
            "/benchmark/step_bytes",
            "sizes grow by step_bytes or by step_factor, but both are set; give one.",
        ),
        ({"benchmark": {"step_factor": None}}, "/benchmark/step_bytes", "but neither is set; give one."),
        (
            {"benchmark": {"step_bytes": 1}},
            "/benchmark/step_bytes",
            "the sweep would have 402653142 rows, but at most 100000 are kept; raise step_bytes or lower cycles.",
        ),
        ({"benchmark": {"cycles": 10_000}}, "/benchmark/cycles", "at most 100000 are kept; lower cycles."),
        ({"benchmark": {"cycles": 0}}, "/benchmark/cycles", "0 is too small; give 1 or more."),
        ({"benchmark": {"blocking": 4}}, "/benchmark/blocking", "4 is too large; give 3 or less."),
        (
            {"benchmark": {"skip_iterations": 20}},
            "/benchmark/skip_iterations",
            "20 of 20 iterations leave no iteration to report; lower skip_iterations or raise iterations.",
        ),
        (
            {"benchmark": {"average": "median"}},
            "/benchmark/average",
            "unknown average 'median'; choose one of rank0, mean, min, max.",
        ),
        ({"benchmark": {"timeout_seconds": 0}}, "/benchmark/timeout_seconds", "0 is too small; give 1 or more."),
        ({"priority": 101}, "/priority", "101 is too large; give 100 or less."),
        ({"placement": {"ranks": "many"}}, "/placement/ranks", "got 'many'."),
    ],
)
def test_a_sentence_names_field_and_remedy(body: dict, where: str, words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        JobSpec.model_validate(body)
    (error,) = field_errors(caught.value)
    assert error.pointer == where
    assert words in error.detail


@pytest.mark.parametrize(
    ("benchmark", "device"),
    [
        ({}, "cpu"),  # MPI is among the usual algorithms
        ({"transport": "nccl"}, "cuda"),
        ({"transport": "cuda_ipc"}, "cuda"),
        ({"device": "cuda"}, "cuda"),
        ({"algorithms": ["ring"]}, "auto"),
        ({"algorithms": ["ring", "nccl"]}, "cuda"),
        ({"algorithms": ["ring"], "transport": "cuda_ipc"}, "cuda"),
        ({"algorithms": ["ring"], "transport": "shared_memory"}, "cpu"),
        ({"algorithms": ["ring"], "device": "cuda"}, "cuda"),
        ({"algorithms": ["ring"], "transport": "mpi"}, "cpu"),  # GPU memory only on demand: few MPIs reach it
        ({"algorithms": ["ring", "mpi"], "transport": "mpi", "device": "cuda"}, "cuda"),
        ({"transport": "mpi", "device": "cuda"}, "cuda"),
    ],
)
def test_the_device_follows_from_what_can_only_work_on_one(benchmark: dict, device: str) -> None:
    assert JobSpec.model_validate({"benchmark": benchmark}).benchmark.settled_device == device


def test_a_pointer_escapes_what_would_mislead() -> None:
    assert pointer(("labels", "a/b~c", 0)) == "/labels/a~1b~0c/0"


def test_the_usual_algorithms_are_those_that_the_collective_has() -> None:
    assert BenchmarkSpec().algorithms == ("ring", "direct", "mpi")
    assert BenchmarkSpec(collective="alltoall").algorithms == ("direct", "mpi")
    assert BenchmarkSpec(collective="reduce").algorithms == ("ring", "mpi")


def test_every_collective_has_schedules() -> None:
    assert tuple(SCHEDULED) == COLLECTIVES
    built = {collective: tuple(names) for collective, names in BUILDERS.items()}
    assert built == SCHEDULED, "schedules/algorithms/__init__.py must build each name, in the same order"
    assert all(set(nameable(collective)) <= set(ALGORITHMS) for collective in COLLECTIVES)


@pytest.mark.parametrize("strategy", ["mirrored", "tf_mirrored"])
def test_a_mirrored_strategy_asks_for_one_node(strategy: str) -> None:
    training = {"kind": "training", "training": {"strategy": strategy}}
    assert JobSpec.model_validate(training | {"placement": {"ranks": 4}}).placement.nodes == 1
    assert JobSpec.model_validate(training | {"placement": {"ranks": 4, "ranks_per_node": 4}}).placement.nodes == 1
    for several in ({"nodes": 2}, {"ranks_per_node": 2}):
        with pytest.raises(ValidationError) as caught:
            JobSpec.model_validate(training | {"placement": {"ranks": 4} | several})
        (error,) = field_errors(caught.value)
        assert error.pointer == f"/placement/{next(iter(several))}"
        assert "multi_worker_mirrored for several" in error.detail


def test_other_strategies_go_where_there_is_room() -> None:
    training = {"kind": "training", "training": {"strategy": "multi_worker_mirrored"}, "placement": {"ranks": 4}}
    assert JobSpec.model_validate(training).placement.nodes is None


def test_channels_are_asked_for_where_it_is_known_how_many_ranks_each_node_has() -> None:
    """Four ranks may come to lie as three and one."""
    new, in_two = TypeAdapter(NewJob), {"benchmark": {"channels": 2}, "placement": {"ranks": 4}}
    for known in ({"nodes": 2}, {"ranks_per_node": 2}):
        new.validate_python(in_two | {"placement": {"ranks": 4} | known})
    new.validate_python(in_two | {"benchmark": {"channels": 1}})
    with pytest.raises(ValidationError) as caught:
        new.validate_python(in_two)
    (error,) = field_errors(caught.value)
    assert error.pointer == "/benchmark/channels"
    assert error.detail == (
        "benchmark.channels: 2 need 2 ranks on every node, but the number of ranks on a node is not set; set "
        "placement.ranks_per_node or placement.nodes."
    )
    assert JobSpec.model_validate(in_two), "`ringscope bench` runs where it is, and what is stored stays readable"


def test_channels_are_refused_where_nothing_goes_in_several() -> None:
    new, placed = TypeAdapter(NewJob), {"placement": {"ranks": 4, "nodes": 2}}
    for collective, algorithm in (("broadcast", "ring"), ("reduce", "auto"), ("all_reduce", "tree")):
        benchmark = {"collective": collective, "algorithms": [algorithm, "mpi"], "channels": 2}
        new.validate_python(placed | {"benchmark": benchmark})
    one_way = {"collective": "broadcast", "algorithms": ["tree", "mpi"], "channels": 2}
    with pytest.raises(ValidationError) as caught:
        new.validate_python(placed | {"benchmark": one_way})
    (error,) = field_errors(caught.value)
    assert (error.pointer, error.detail) == (
        "/benchmark/channels",
        "benchmark.channels: nothing of broadcast goes in several by tree or mpi; name ring, or leave it out.",
    )
    assert JobSpec.model_validate({"benchmark": one_way} | placed), "what is stored stays readable"


def test_channels_are_told_only_where_somebody_asked() -> None:
    """Agents of earlier versions refuse what they do not know."""
    asked = JobSpec.model_validate({"benchmark": {"channels": 2}})
    assert asked.model_dump()["benchmark"]["channels"] == 2
    assert "channels" not in JobSpec().model_dump_json()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"placement": {"preflight": 61}}, "give true, false, or 1 to 60 seconds, not 61."),
        ({"placement": {"preflight": "soon"}}, "not 'soon'."),
        ({"placement": {"preflight": 0}}, "not 0."),
        (
            {
                "benchmark": {"transport": "simulated", "topology": {"shape": "2x2", "link": "ib200"}},
                "placement": {"preflight": True},
            },
            "a simulation runs on no nodes",
        ),
        ({"kind": "diagnosis", "placement": {"node_names": ["a", "b"], "preflight": True}}, "judges its nodes itself"),
    ],
)
def test_a_preflight_that_is_not_possible_is_refused_in_a_sentence(body: dict, words: str) -> None:
    with pytest.raises(ValidationError) as refused:
        JobSpec.model_validate(body)
    (error,) = field_errors(refused.value)
    assert error.pointer.endswith("/placement/preflight") and words in error.detail


def test_a_diagnosis_per_rail_has_the_ranks_of_all_rails_and_is_told_only_where_somebody_asked() -> None:
    body = {"kind": "diagnosis", "diagnosis": {"per": "rail"}, "placement": {"node_names": ["a", "b"]}}
    asked = JobSpec.model_validate(body | {"placement": {"node_names": ["a", "b"], "ranks_per_node": 4}})
    assert asked.placement.ranks == 8 and asked.model_dump()["diagnosis"]["per"] == "rail"
    whole = JobSpec.model_validate(body | {"diagnosis": {}})
    assert "per" not in whole.model_dump()["diagnosis"] and whole.placement.ranks == 2
    for changes, words in (
        ({}, "at least 2 ranks on each node, not an open number; give the number of rails"),
        ({"placement": {"node_names": ["a", "b"], "ranks_per_node": 1}}, "at least 2 ranks on each node, not 1"),
        ({"placement": {"ranks": 2, "ranks_per_node": 2}}, "one node has no link to another one"),
        (
            {"diagnosis": {}, "placement": {"ranks": 4, "ranks_per_node": 2}},
            "leave it out, or set diagnosis.per to rail",
        ),
    ):
        with pytest.raises(ValidationError) as refused:
            JobSpec.model_validate(body | changes)
        (error,) = field_errors(refused.value)
        assert words in error.detail, error.detail


def test_a_preflight_is_told_only_where_somebody_asked() -> None:
    assert "preflight" not in JobSpec().model_dump()["placement"]
    for wanted in (True, 1, 5):
        asked = JobSpec.model_validate({"placement": {"preflight": wanted}})
        assert asked.model_dump()["placement"]["preflight"] is wanted
        assert JobSpec.model_validate_json(asked.model_dump_json()) == asked
