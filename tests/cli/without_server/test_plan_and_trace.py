"""`ringscope plan` and `ringscope trace`: without a server, without MPI."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import assert_refused, clean_environment, run_ringscope

from ringscope.cli.commands.plan import ACCURACY

LECTURE = ("--ranks", "10", "--bytes", "1.2GB", "--bandwidth", "1GB/s")


def ringscope(*arguments: str) -> str:
    done = run_ringscope(*arguments, environment=clean_environment())
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_plan_prints_json_of_the_lectures_ring() -> None:
    document = json.loads(ringscope("plan", "--algorithm", "ring", *LECTURE, "--latency", "5us", "--json"))
    assert {key: document[key] for key in ("ranks", "size_bytes", "latency_s")} == {
        "ranks": 10,
        "size_bytes": 1_200_000_000,
        "latency_s": 5e-6,
    }
    assert document["basis"] == "simulated"
    (result,) = document["results"]
    assert result["algorithm"] == "ring"
    assert result["time_s"] == pytest.approx(2.16 + 18 * 5e-6)


def test_plan_prints_algorithms_side_by_side() -> None:
    _, sentence, *lines = ringscope("plan", "--algorithm", "gather,naive,ring", *LECTURE).splitlines()
    assert sentence.startswith(
        "ring takes 2.16 s, one server 10.8 s only to collect (gather), 5 times as long, and 21.6 "
    )
    assert lines.pop() == ACCURACY
    assert [line.split()[:3] for line in lines[1:]] == [
        ["gather", "10.8", "s"],
        ["naive", "21.6", "s"],
        ["ring", "2.16", "s"],
    ]
    assert "formula, only collects" in lines[1]
    assert "gather 10.8 s, broadcast 21.6 s" in lines[2]


def test_plan_prints_a_scaling_curve_in_one_command() -> None:
    asked = ("plan", "--up-to", "10", "--algorithm", "naive,ring", *LECTURE[2:])
    title, heads, *rows = ringscope(*asked).splitlines()
    assert title == "SIMULATED: time of all_reduce of 1,200,000,000 bytes (1.2 GB) by ranks"
    assert heads.split() == ["ALGORITHM", "2", "4", "8", "10"]
    assert [row.split() for row in rows] == [
        ["naive", *["2.4", "s", "7.2", "s", "16.8", "s", "21.6", "s"]],
        ["ring", *["1.2", "s", "1.8", "s", "2.1", "s", "2.16", "s"]],
    ]
    document = json.loads(ringscope(*asked, "--json"))
    assert [(point["ranks"], point["results"][1]["time_s"]) for point in document["scaling"]] == [
        (ranks, pytest.approx(2.4 * (ranks - 1) / ranks)) for ranks in (2, 4, 8, 10)
    ]


def test_plan_marks_an_upper_bound() -> None:
    crowd = ("--topology", "4x32x8", "--link", "ib400", "--oversubscription", "4", "--bytes", "4MiB")
    ring, direct, *more = ringscope("plan", "--algorithm", "ring,direct", *crowd).splitlines()[3:]
    assert ("at most" in ring, "at most" in direct, "schedule, bound" in direct) == (False, True, True)
    assert more[0].startswith("Upper bound: the times at which messages share links")


def test_plan_of_another_collective_takes_all_its_algorithms() -> None:
    arguments = ("plan", "broadcast", "--ranks", "8", "--bytes", "1GB", "--bandwidth", "1GB/s", "--json")
    results = {r["algorithm"]: r for r in json.loads(ringscope(*arguments))["results"]}
    assert results.keys() == {"ring", "tree", "naive"}
    assert results["tree"]["time_s"] == pytest.approx(3)
    assert results["naive"]["time_s"] == pytest.approx(7)
    assert results["ring"]["busbw_gb_per_s"] == pytest.approx(1, rel=0.2), "pipelined: nearly the link's rate"


def test_plan_compares_with_nccls_model_where_it_knows_the_gpus(tmp_path: Path) -> None:
    def last(*arguments: str) -> str:
        found: str = json.loads(ringscope("plan", *arguments, "--bytes", "1MiB", "--json"))["results"][-1]["algorithm"]
        return found

    assert last("--topology", "2x8", "--link", "ib400") == "nccl"
    assert last("--topology", "2x8", "--link", "ib400", "--intra", "450GB/s") == "naive", "whatever GPUs these are"
    assert last("broadcast", "--topology", "2x8") == "naive"
    assert last("--ranks", "8") == "naive", "no links inside nodes"
    assert last("--topology", "2x4", "--fit", str(_fit(tmp_path))) == "naive"


def test_plan_of_racks() -> None:
    arguments = ("plan", "--algorithm", "ring", "--topology", "2x2x4", "--link", "ib200", "--nics", "1", "--json")
    fair, slow = (
        json.loads(ringscope(*arguments, "--oversubscription", factor))["results"][0]["time_s"] for factor in "14"
    )
    assert slow == pytest.approx(2 * fair, rel=0.05), "two cards share an uplink of half a card"


def test_plan_says_in_how_many_channels() -> None:
    arguments = ("plan", "--algorithm", "ring,naive", "--topology", "2x4", "--link", "ib400", "--bytes", "1GiB")
    by_card, by_two = ([*map(float, _busbw(ringscope(*arguments, *more)))] for more in ((), ("--channels", "2")))
    assert by_card[0] == pytest.approx(2 * by_two[0], rel=0.1)
    ring, naive = ringscope(*arguments).splitlines()[3:5]
    assert "schedule, 4 channels" in ring and "channels" not in naive
    told = json.loads(ringscope(*arguments, "--channels", "2", "--json"))
    assert [result["channels"] for result in told["results"]] == [2, 1]


def _busbw(printed: str) -> list[str]:
    return [line.split()[5] for line in printed.splitlines()[3:-1]]


def test_plan_with_a_fit_of_processes_takes_one_channel(tmp_path: Path) -> None:
    arguments = ("plan", "--algorithm", "ring", "--topology", "2x4", "--fit", str(_fit(tmp_path)), "--json")
    assert json.loads(ringscope(*arguments))["results"][0]["channels"] == 1
    assert json.loads(ringscope(*arguments, "--channels", "4"))["results"][0]["channels"] == 4


def _fit(folder: Path) -> Path:
    """Write and return a fit of a cost model for ranks that are processes on CPUs."""
    file = folder / "fit.json"
    document = {"transport": "mpi", "ranks_per_node": 1, "nics_per_node": None, "median_error": 0.1, "r_squared": 1.0}
    regime = {"below_bytes": None, "latency_s": 1e-6, "send_s_per_byte": 1e-9, "reduce_s_per_byte": None}
    regime |= {"intra_latency_s": None, "intra_send_s_per_byte": None}
    file.write_text(json.dumps(document | {"regimes": [regime], "residuals": []}))
    return file


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--algorithm", "rong"), "algorithm: unknown algorithm 'rong'; choose one of ring"),
        (("all", "--algorithm", "ring"), "collective: unknown collective 'all'; choose one of all_reduce"),
        (("alltoall", "--algorithm", "ring"), "algorithm: unknown algorithm 'ring'; choose one of direct"),
        (("--bytes", "much"), "--bytes: 'much' is not a size; write for example 64K"),
        (("--bandwidth", "fast"), "--bandwidth: 'fast' is not a rate; write for example 1GB/s"),
        (("--latency", "soon"), "--latency: 'soon' is not a duration; write for example 5us"),
        (("--gamma", "0"), "--gamma: '0' is not a rate"),
        (("--link", "string"), "--link: 'string' is neither a known link nor a rate; choose one of 10gbe"),
        (("--topology", "0x4"), "--topology: '0x4' is not a shape; write RANKS, NODESxRANKS such as 4x8"),
        (("--topology", "2x4", "--ranks", "9"), "--ranks: 2x4 has 8 ranks, not 9; leave --ranks out"),
        (
            ("--topology", "2x4", "--channels", "5"),
            "--channels: 5 cannot each leave a node of 4 through a different rank;",
        ),
        (("--topology", "2x4", "--nics", "5"), "--nics: 5 cards are more than a node has ranks; give 1 to 4"),
    ],
)
def test_plan_refuses_in_one_line(arguments: tuple[str, ...], sentence: str) -> None:
    assert_refused(run_ringscope("plan", *arguments, environment=clean_environment()), sentence)


@pytest.mark.parametrize("algorithm", ["direct", "ring"])
def test_trace_prints_each_step_of_the_three_devices(algorithm: str) -> None:
    lines = ringscope("trace", algorithm, "--ranks", "3", "--values", "2,4,6;1,2,3;4,8,12").splitlines()
    assert lines[:3] == ["rank 0 starts with 2,4,6", "rank 1 starts with 1,2,3", "rank 2 starts with 4,8,12"]
    assert [line for line in lines if line.startswith("step")] == [
        "step 0: reduce_scatter",
        "step 1: reduce_scatter",
        "step 2: all_gather",
        "step 3: all_gather",
    ]
    assert lines[-3:] == [f"rank {rank} ends with 7,14,21" for rank in range(3)]


def test_trace_says_who_is_idle_while_one_server_works() -> None:
    busy = [
        line for line in ringscope("trace", "parameter_server", "--ranks", "4").splitlines() if " of 6 steps" in line
    ]
    assert busy == [
        "rank 0 sends or receives in 6 of 6 steps",
        "ranks 1 to 3 send or receive in 2 of 6 steps and wait in the others",
    ]
    ring = ringscope("trace", "ring", "--ranks", "4").splitlines()
    assert ring[-5] == "every rank sends or receives in each step"


def test_trace_shows_the_ring_in_the_other_direction() -> None:
    told = ringscope("trace", "ring", "--reverse", "--values", "1,2,3;10,20,30;100,200,300")
    sent = [line.split(",")[0].strip() for line in told.splitlines() if "->" in line]
    assert sent[:3] == ["rank 0 -> rank 2: 3", "rank 1 -> rank 0: 10", "rank 2 -> rank 1: 200"]
    assert told.count("ends with 111,222,333") == 3


def test_trace_of_another_collective_ends_with_each_ranks_result() -> None:
    values = ("--ranks", "3", "--values", "2,4,6;1,2,3;4,8,12")
    assert ringscope("trace", "ring", "--collective", "reduce_scatter", *values).splitlines()[-3:] == [
        "rank 0 ends with 7",
        "rank 1 ends with 14",
        "rank 2 ends with 21",
    ]
    assert ringscope("trace", "direct", "--collective", "alltoall", *values).splitlines()[-3:] == [
        "rank 0 ends with 2,1,4",
        "rank 1 ends with 4,2,8",
        "rank 2 ends with 6,3,12",
    ]


def test_trace_exports_for_perfetto(tmp_path: Path) -> None:
    file = tmp_path / "ring.json"
    ringscope("trace", "ring", "--ranks", "4", "--perfetto", str(file))
    document = json.loads(file.read_text())
    assert document["otherData"]["title"] == "SIMULATED ring, 4 ranks, 16 bytes"
    assert sum(event["ph"] == "s" for event in document["traceEvents"]) == 2 * 3 * 4


def test_trace_draws_the_schedule_that_plan_prices(tmp_path: Path) -> None:
    file = tmp_path / "ring.json"
    ringscope("trace", "ring", "--topology", "2x2", "--perfetto", str(file))
    assert json.loads(file.read_text())["otherData"]["title"] == "SIMULATED ring in 2 channels, 4 ranks, 32 bytes"
    ringscope("trace", "ring", "--topology", "2x2", "--channels", "1", "--perfetto", str(file))
    assert json.loads(file.read_text())["otherData"]["title"] == "SIMULATED ring, 4 ranks, 16 bytes"


def test_trace_knows_nodes_and_roots() -> None:
    steps = [s for s in ringscope("trace", "hierarchical", "--topology", "2x2").splitlines() if s.startswith("step")]
    assert [step.partition(": ")[2] for step in steps] == [
        "reduce_scatter",
        "between_reduce_scatter",
        "between_all_gather",
        "all_gather",
    ]
    last = ringscope("trace", "tree", "--collective", "reduce", "--ranks", "4", "-r", "2").splitlines()[-4:]
    assert last[2] == "rank 2 ends with 10,10,10,10"
    assert last[1] == "rank 1 ends with nothing"


def test_trace_follows_every_channel() -> None:
    """Ranks 0 and 2 of two nodes of two ranks leave their nodes in the first channel, ranks 1 and 3 in the second."""
    first, *lines = ringscope("trace", "ring", "--topology", "2x2").splitlines()
    assert first == "ring in 2 channels, each leaving a node through a different rank"
    assert ringscope("trace", "ring", "--topology", "2x2", "--channels", "2").splitlines() == [first, *lines]
    assert lines[0] == "rank 0 starts with 1,1,1,1,1,1,1,1"
    sent = {tuple(line.split()[1:5:3]) for line in lines if "->" in line}
    assert {(src, dst.strip(":")) for src, dst in sent} == {
        *(("0", "3"), ("2", "1"), ("1", "2"), ("3", "0")),  # between the nodes
        *(("0", "1"), ("1", "0"), ("2", "3"), ("3", "2")),
    }
    assert lines[-1] == "rank 3 ends with 10,10,10,10,10,10,10,10"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("ring", "--topology", "2x2", "--channels", "3"), "--channels: 3 cannot each leave a node of 2"),
        (("ring", "--topology", "2x2", "--ranks", "3"), "--ranks: 2x2 has 4 ranks, not 3; leave --ranks out."),
        (("ring", "--topology", "9x9"), "--topology: 81 ranks are too many to read; give 64 or fewer."),
        (("tree", "--collective", "reduce", "-r", "3"), "--root: 3 is not one of 3 ranks; give 0 to 2."),
        (("rong",), "ALGORITHM: unknown algorithm 'rong'; choose one of ring"),
        (("ring", "--collective", "all"), "--collective: unknown collective 'all'; choose one of all_reduce"),
        (("tree", "--reverse"), "--reverse: only the ring of all_reduce with one channel supports it; leave it out."),
        (("ring", "--values", "1,2;3"), "--values: 3 ranks need as many rows of 2 numbers each"),
        (("ring", "--values", "a,b"), "--values: 'a,b' is not rows of numbers"),
        (("ring", "--perfetto", "/nowhere/x.json"), "--perfetto: /nowhere/x.json cannot be written"),
        (("ring", "--size", "1M"), "--size: it is only for the trace of a job; add --job N, or leave it out."),
        (("ring", "--in-place", "0"), "--in-place: it is only for the trace of a job"),
        (("ring", "--json"), "--json: it is only for the trace of a job"),
    ],
)
def test_trace_refuses_in_one_line(arguments: tuple[str, ...], sentence: str) -> None:
    assert_refused(run_ringscope("trace", *arguments, environment=clean_environment()), sentence)
