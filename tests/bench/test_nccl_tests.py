import json
from datetime import datetime
from itertools import product

import pytest
from tests.bench.nccl_tests_reader import tables

from ringscope.bench.nccl_tests.document import to_json
from ringscope.bench.nccl_tests.table import render_table
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.record import Environment, Hello, Measurement
from ringscope.contracts.words.collectives import bus_factor, elements

MIB = 1 << 20


def row(algorithm: str, time_us: float, size_bytes: int = MIB, **changes: object) -> Measurement:
    algbw = size_bytes / time_us / 1e3
    values = {
        "collective": "all_reduce",
        "algorithm": algorithm,
        "transport": "mpi" if algorithm == "mpi" else "shared_memory",
        "in_place": False,
        "size_bytes": size_bytes,
        "count": size_bytes // 4,
        "dtype": "float32",
        "op": "sum",
        "ranks": 4,
        "time_us": time_us,
        "algbw_gb_per_s": algbw,
        "busbw_gb_per_s": algbw * 1.5,
        "wrong": 0,
        "min_us": time_us,
        "mean_us": time_us,
        "p50_us": time_us,
        "p10_us": time_us,
        "p90_us": time_us,
        "p95_us": time_us,
        "p99_us": time_us,
        "max_us": time_us,
        "stdev_us": 0.0,
        "cv_percent": 0.0,
        "iterations": 20,
        "time_ns": 1,
    }
    return Measurement.model_validate(values | changes)


def hello(rank: int) -> Hello:
    return Hello(rank=rank, local_rank=rank, ranks=2, pid=100 + rank, host="node-a", time_ns=1)


TABLE = """\
# ringscope version 0.1.0
# Collective test starting: all_reduce algorithm: direct transport: shared_memory ranks: 4
# nThread 1 nGpus 1 minBytes 8 maxBytes 1048576 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0 unalign: 0
#
# Using devices
#  Rank  0 Group  0 Pid    100 on     node-a device  cpu
#  Rank  1 Group  0 Pid    101 on     node-a device  cpu
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong 
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)         
           8             2     float     sum      -1     2.00    0.00    0.01       0     2.50    0.00    0.00       0
     1048576        262144     float     sum      -1   339.61    3.09    4.63       0  58479.5    0.02    0.03       7
# Out of bounds values : 1 FAILED
# Avg bus bandwidth    : 1.16727 
#
# Collective test concluded: all_reduce
#
# In addition to the mean times, of the slowest rank in each iteration: median, p5 to p95 (us)
#   size (B)                      out-of-place                          in-place
#          8                              2.00                2.40, 1.50 to 2.50
#    1048576                            339.61                           58479.5
# UNSTABLE: 1 of 4 means are unreliable, 8 B; use the medians. Worst: 8 B, in place: cv 21 %, p99 1.04 times the median"""  # noqa: E501


def test_sizes_without_room_in_memory_are_a_line_of_the_header_and_a_field_of_the_rows():
    lowered = [row("ring", 2.0, 8 << n, lowered_max_bytes=16) for n in range(2)]
    line = "# maxBytes was lowered to 16: the buffers of larger sizes do not fit into memory"
    assert line in render_table(lowered, BenchmarkSpec()).splitlines()
    document = to_json(BenchmarkSpec(), lowered, [], [], "", "")
    assert [result["lowered_max_bytes"] for result in document["results"]] == [16, 16]


def test_unstable_rows_are_one_line_however_many_there_are():
    wild = [row("ring", 2.0, 8 << n, cv_percent=30.0 + n, stdev_us=1.0) for n in range(4)]
    table = render_table([row("ring", 2.0, 4), *wild])
    [line] = [line for line in table.splitlines() if "UNSTABLE" in line]
    assert line.startswith("# UNSTABLE: 4 of 5 means are unreliable, 8 B to 64 B; use the medians. Worst: 64 B")
    assert "cv 33 %" in line


def test_the_unstable_sizes_of_several_cycles_go_from_the_smallest_to_the_largest():
    wild = [row("ring", 2.0, size, cycle=n, cv_percent=30.0) for n in range(2) for size in (8, 64)]
    assert ", 8 B to 64 B; use the medians" in render_table(wild[1:-1])


def test_the_table_has_nccl_tests_columns():
    rows = [
        row("direct", 2.0, 8),
        row("direct", 2.5, 8, in_place=True, cv_percent=21.0, p50_us=2.4, p5_us=1.5),
        row("direct", 339.61),
        row("direct", 58479.5, in_place=True, wrong=7),
    ]
    spec = BenchmarkSpec(min_bytes=8, max_bytes=MIB)
    assert render_table(rows, spec, [hello(1), hello(0)]) == TABLE


def test_one_table_per_algorithm_in_the_order_of_the_sweep():
    text = render_table([row("ring", 10.0), row("mpi", 20.0), row("ring", 10.0, in_place=True)])
    titles = [line for line in text.splitlines() if "starting" in line]
    assert [title.split()[6] for title in titles] == ["ring", "mpi"]
    assert text.count("# Out of bounds values : 0 OK") == 2


def test_rows_that_are_missing_or_unchecked_say_so():
    line = next(line for line in render_table([row("ring", 10.0, wrong=None)]).splitlines() if line[0] != "#")
    assert line.split()[-5:] == ["N/A"] * 5
    assert "validation: 0" in render_table([row("ring", 10.0, wrong=None)])


@pytest.mark.parametrize(
    ("time_us", "shown"),
    [
        (0.0, "0.00"),
        (4366.461, "4366.46"),
        (9999.996, "10000.0"),
        (12345.67, "12345.7"),
        (123456.7, "123457"),
        (9999999.4, "9999999"),
        (12345678.0, "1.2e+07"),
    ],
)
def test_numbers_lose_decimals_before_columns_shift(time_us, shown):
    table = render_table([row("ring", 1.0).model_copy(update={"time_us": time_us})])
    [line] = [line for line in table.splitlines() if not line.startswith("#")]
    assert line.split()[5] == shown


@pytest.mark.parametrize(
    ("collective", "factors"),
    [
        ("all_reduce", [0.0, 1.0, 1.5, 1.75]),
        *[(name, [0.0, 0.5, 0.75, 0.875]) for name in ("reduce_scatter", "all_gather", "alltoall")],
        *[(name, [1.0] * 4) for name in ("broadcast", "reduce", "sendrecv")],
    ],
)
def test_bus_factor(collective, factors):
    assert [bus_factor(collective, ranks) for ranks in (1, 2, 4, 8)] == factors


@pytest.mark.parametrize(
    ("collective", "size_bytes", "itemsize", "ranks", "count", "total"),
    [
        ("all_reduce", 1023, 4, 4, 255, 255),
        ("broadcast", 1023, 4, 4, 255, 255),
        ("all_gather", 1024, 4, 4, 64, 256),
        ("all_gather", 1000, 4, 3, 80, 240),
        ("reduce_scatter", 8, 4, 2, 0, 0),
        ("alltoall", 100, 8, 3, 4, 12),
        ("alltoall", 100, 1, 3, 32, 96),
        ("reduce_scatter", 100, 2, 2, 24, 48),
    ],
)
def test_parts_of_ranks_are_counted_in_pieces_of_16_bytes(collective, size_bytes, itemsize, ranks, count, total):
    assert elements(collective, size_bytes, itemsize, ranks) == (count, total)


def test_other_collectives_have_their_own_names_and_roots():
    spec = BenchmarkSpec(collective="broadcast", algorithms=("tree",), root=3)
    text = render_table([row("tree", 10.0, op="none")], spec)
    assert "# Collective test starting: broadcast algorithm: tree" in text
    assert "\n# Collective test concluded: broadcast\n" in text
    line = next(line for line in text.splitlines() if line[0] != "#")
    assert line.split()[2:5] == ["float", "none", "3"]
    assert to_json(spec, [row("tree", 10.0)], [], [], "", "")["results"][0]["root"] == "     3"
    spec = BenchmarkSpec(collective="alltoall", algorithms=("direct",), root=0)
    rows = [row("direct", 10.0, op="none"), row("direct", 10.0, op="none", in_place=True, wrong=None)]
    line = next(line for line in render_table(rows, spec).splitlines() if line[0] != "#")
    assert line.split()[4:] == ["-1", "10.00", "104.86", "157.29", "0", "10.00", "104.86", "157.29", "N/A"]


def test_json_is_version_3_with_the_algorithm_in_each_result():
    rows = [row("ring", 10.0), row("mpi", 20.0), row("ring", 8.0, in_place=True), row("mpi", 25.0, in_place=True)]
    spec = BenchmarkSpec(min_bytes=MIB, max_bytes=MIB)
    document = json.loads(json.dumps(to_json(spec, rows, [hello(1), hello(0)], ["bench"], "start", "end")))
    assert document["version"] == 3
    assert [result["algorithm"] for result in document["results"]] == ["ring", "mpi"]
    ring = document["results"][0]
    assert (ring["size"], ring["count"], ring["type"], ring["redop"], ring["root"]) == (
        MIB,
        MIB // 4,
        "float",
        "sum",
        "    -1",
    )
    assert ring["in_place"] == {"time": 8.0, "alg_bw": 131.072, "bus_bw": 196.608, "nwrong": 0}
    assert ring["out_of_place_per_iter"]["p50_us"] == 10.0
    assert [device["rank"] for device in document["config"]["devices"]] == [0, 1]
    assert set(ring) == {
        *("size", "count", "type", "redop", "root", "algorithm", "transport", "ranks", "cores", "channels", "cycle"),
        *("out_of_place", "out_of_place_per_iter", "in_place", "in_place_per_iter"),
        *("actual_iterations", "experiment_name"),
    }
    assert document["out_of_bounds"] == {"count": 0, "okay": "true"}
    mean = sum(r.busbw_gb_per_s for r in rows) / 4
    assert document["average_bus_bandwidth"]["bandwidth"] == pytest.approx(mean)


def environment(rank: int, **variables: str) -> Environment:
    return Environment(
        rank=rank,
        host="node-a",
        ranks=[rank],
        versions={"nccl": "2.27.3"},
        variables=variables,
        cpu_model="x",
        cores=2,
        physical_cores=1,
        sockets=1,
        numa_nodes=None,
        memory_bytes=1,
        time_ns=1,
    )


def test_json_says_what_the_run_was_and_ran_in():
    spec = BenchmarkSpec(
        min_bytes=MIB,
        max_bytes=MIB,
        step_bytes=64,
        iterations=3,
        aggregate=4,
        blocking=1,
        per_iteration=True,
        skip_iterations=1,
        average="max",
        cycles=2,
        check=False,
    )
    gpu = hello(0).model_copy(update={"device": "0 [0000:17:00.0]", "cpus": [0, 2]})
    rows = [row("ring", 10.0, wrong=None, times_us=[9.0, 10.0, 11.0], cycle=cycle) for cycle in (0, 1)]
    nodes = [environment(1), environment(0, NCCL_ALGO="Ring")]
    document = json.loads(json.dumps(to_json(spec, rows, [gpu], [], "", "", nodes, ["Rank 1: gone."])))
    config = document["config"]
    assert "step_factor" not in config
    assert {name: config[name] for name in ("step_bytes", "aggregated_iterations", "per_iter_skip", "run_cycles")} == {
        "step_bytes": 64,
        "aggregated_iterations": 4,
        "per_iter_skip": 1,
        "run_cycles": 2,
    }
    assert (config["blocking_collectives"], config["per_iter_timing"], config["average"]) == ("true", "true", "max")
    assert (config["devices"][0]["device"], config["devices"][0]["device_hex"]) == (0, "0000:17:00.0")
    assert document["env"] == ["NCCL_ALGO=Ring"]
    assert document["nccl_version"] == 22703
    assert document["errors"] == ["Rank 1: gone."]
    assert BenchmarkSpec.model_validate(document["ringscope"]["benchmark"]) == spec
    assert [node["rank"] for node in document["ringscope"]["nodes"]] == [0, 1]
    assert document["ringscope"]["ranks"][0]["cpus"] == [0, 2]
    assert [result["cycle"] for result in document["results"]] == [0, 1]
    assert document["results"][0]["out_of_place"]["nwrong"] is None
    assert document["results"][0]["out_of_place_per_iter"] == {
        "skipped_iterations": 1,
        "min_us": 10.0,
        "max_us": 10.0,
        "avg_us": 10.0,
        "p10_us": 10.0,
        "p50_us": 10.0,
        "p90_us": 10.0,
        "p95_us": 10.0,
        "p99_us": 10.0,
        "stdev_us": 0.0,
        "cv_pct": 0.0,
        "times_us": [9.0, 10.0, 11.0],
    }


CV = {"min_us": 1.25, "max_us": 300000.0, "p99_us": 250.5, "cv_percent": 33.333}


@pytest.mark.parametrize(
    ("timestamps", "options"),
    [
        *product((False, True), [{}, {"per_iteration": True, "skip_iterations": 2}]),
        (False, {"blocking": 1}),
        (False, {"blocking": 3, "aggregate": 8}),
        (False, {"step_bytes": 1 << 19}),
        (False, {"check": False}),
        (True, {"cycles": 2, "per_iteration": True}),
    ],
)
def test_a_parser_of_nccl_tests_reads_every_option(timestamps, options):
    spec = BenchmarkSpec.model_validate({"min_bytes": MIB, "max_bytes": 2 * MIB} | options)
    wrong = 0 if spec.check else None
    rows = [
        row("ring", time_us, size, in_place=in_place, wrong=wrong, cycle=cycle, time_ns=1_767_225_600_000_000_000, **CV)
        for cycle in range(spec.cycles)
        for size, in_place, time_us in ((MIB, False, 10.5), (MIB, True, 12.0), (2 * MIB, False, 20.0))
    ]
    text = render_table([*rows, row("mpi", 50.0, wrong=wrong)], spec, [hello(0)], timestamps)
    ring, mpi = tables(text)
    assert (ring.name, len(ring.rows), len(mpi.rows), ring.is_concluded) == ("all_reduce", 2 * spec.cycles, 1, True)
    parameters = ring.parameters
    assert (parameters["minBytes"], parameters["maxBytes"], parameters["unalign"]) == (MIB, 2 * MIB, 0)
    assert (parameters["step"], ring.step_kind) == ((1 << 19, "bytes") if spec.step_bytes else (2, "factor"))
    assert (parameters["agg iters"], parameters["iters"], parameters["warmup iters"]) == (spec.aggregate, 20, 5)
    assert parameters["validation"] == int(spec.check)
    assert len(ring.columns) - timestamps == (21 if spec.per_iteration else 13)
    assert ring.out_of_bounds == 0
    assert ring.mean_busbw == pytest.approx(sum(r.busbw_gb_per_s for r in rows) / len(rows), rel=1e-5)
    for number, read in enumerate(ring.rows):
        assert read.size == (MIB, 2 * MIB)[number % 2]
        assert (read.type, read.redop, read.root, read.count) == ("float", "sum", -1, read.size // 4)
        assert read.time == (datetime(2026, 1, 1) if timestamps else None)
        assert read.out_of_place["time"] == (10.5, 20.0)[number % 2]
        assert read.out_of_place["#wrong"] == wrong
        assert read.out_of_place["busbw"] == pytest.approx(1.5 * read.size / read.out_of_place["time"] / 1e3, abs=0.06)
        if spec.per_iteration:
            placed = {name: read.out_of_place[name] for name in ("i_min", "i_max", "i_p99", "i_cv%")}
            assert placed == {"i_min": 1.25, "i_max": 300000.0, "i_p99": 250.5, "i_cv%": 33.33}
    first, second = ring.rows[:2]
    assert (first.in_place["time"], second.in_place["time"]) == (12.0, None), (
        "the last row was not yet measured in place"
    )


def test_waiting_and_skipping_stand_above_the_table_in_nccl_tests_words():
    spec = BenchmarkSpec(blocking=3, per_iteration=True, skip_iterations=2)
    text = render_table([row("ring", 10.0)], spec)
    assert "# Blocking Enabled: wait and barrier after each outer iteration (-n); time excludes barrier \n" in text
    assert "i_* uses max over process rows; summary skips first 2 iterations \n" in text


def test_channels_that_were_asked_for_stand_above_the_table() -> None:
    ring, direct = row("ring", 10.0, channels=2), row("direct", 10.0)
    assert "# Rings and trees in 2 channels\n" in render_table([ring], BenchmarkSpec(channels=2))
    assert "channel" not in render_table([direct], BenchmarkSpec(channels=2)), "it goes in none"
    assert "channel" not in render_table([ring], BenchmarkSpec()), "nobody asked"
