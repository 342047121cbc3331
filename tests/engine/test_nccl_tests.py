import json

import pytest

from ringscope.nccl_tests import bus_factor, render_table, to_json
from ringscope.record import Hello, Measurement
from ringscope.spec import BenchmarkSpec

MIB = 1 << 20


def row(algorithm: str, time_us: float, size_bytes: int = MIB, **changes: object) -> Measurement:
    algbw = size_bytes / time_us / 1e3
    values = {
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
        "p50_us": time_us,
        "p99_us": time_us,
        "max_us": time_us,
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


@pytest.mark.parametrize(("ranks", "factor"), [(1, 0.0), (2, 1.0), (4, 1.5), (8, 1.75)])
def test_bus_factor(ranks, factor):
    assert bus_factor("all_reduce", ranks) == factor


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
