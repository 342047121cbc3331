import json

import pytest

from ringscope.nccl_tests import bus_factor, elements, render_table, to_json
from ringscope.record import Hello, Measurement
from ringscope.spec import BenchmarkSpec

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
# nThread 1 nGpus 1 minBytes 8 maxBytes 1048576 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
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
# Collective test concluded: all_reduce"""  # noqa: E501


def test_the_table_has_nccl_tests_columns():
    rows = [
        row("direct", 2.0, 8),
        row("direct", 2.5, 8, in_place=True),
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
    [(0.0, "0.00"), (4366.461, "4366.46"), (12345.67, "12345.7"), (123456.7, "123457"), (12345678.0, "1.2e+07")],
)
def test_numbers_lose_decimals_before_columns_shift(time_us, shown):
    line = render_table([row("ring", 1.0).model_copy(update={"time_us": time_us})]).splitlines()[-5]
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
    assert text.endswith("# Collective test concluded: broadcast")
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
    assert document["out_of_bounds"] == {"count": 0, "okay": "true"}
    mean = sum(r.busbw_gb_per_s for r in rows) / 4
    assert document["average_bus_bandwidth"]["bandwidth"] == pytest.approx(mean)
