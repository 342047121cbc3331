"""`ringscope diff`: what it compares, and what it says about it."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from tests.cli.fake_api import FakeApi, items, job


def row(size_bytes: int, time_us: float, cv_percent: float = 3.0, **fields: Any) -> dict[str, Any]:
    usual = {
        "id": size_bytes,
        "collective": "all_reduce",
        "algorithm": "ring",
        "transport": "mpi",
        "in_place": False,
        "cycle": 0,
        "size_bytes": size_bytes,
        "count": 2,
        "dtype": "float32",
        "op": "sum",
        "ranks": 2,
        "iterations": 20,
        "time_us": time_us,
        "algbw_gb_per_s": 1.0,
        "busbw_gb_per_s": 1.0,
        "wrong": 0,
        "stdev_us": 0.1,
        "cv_percent": cv_percent,
        "measured_at": "2026-01-02T03:04:05Z",
    }
    times = dict.fromkeys(("min_us", "mean_us", "p50_us", "p95_us", "p99_us", "max_us"), time_us)
    return usual | times | fields


def environment(mpi: str) -> dict[str, Any]:
    return {"items": [{"attempt": 1, "nodes": [{"host": "n1", "ranks": [0, 1], "versions": {"mpi": mpi}}]}]}


RANKS = "ranks is 4, and 2 in the base job."


def compared(*obstacles: str, rows: Sequence[Sequence[dict[str, Any]]] = ((), ())) -> dict[str, Any]:
    """Return the server's comparison of job 2 with job 1."""
    told = (1, [], rows[0]), (2, list(obstacles), rows[1])
    return {"base": 1, "jobs": [{"job_id": one, "obstacles": why, "rows": found} for one, why, found in told]}


def measured(size_bytes: int, time_us: float, *against: float, **fields: Any) -> dict[str, Any]:
    """Return a row of the comparison; ``against``: ratio, its interval, and the noise."""
    numbers = dict(zip(("ratio", "ratio_low", "ratio_high", "noise"), against, strict=True)) if against else None
    place = {"algorithm": "ring", "size_bytes": size_bytes, "in_place": False, "time_us": time_us}
    return place | {"is_unstable": False, "against": numbers} | fields


ROWS = (
    [measured(8, 10.0), measured(1024, 100.0), measured(2048, 1.0), measured(8, 10.0, algorithm="fastest")],
    [
        measured(8, 10.1, 1.01, 0.9, 1.1, 0.05),
        measured(1024, 50.0, 0.5, 0.49, 0.51, 0.05),
        measured(8, 10.1, 1.01, 0.9, 1.1, 0.05, algorithm="fastest"),
    ],
)


@pytest.fixture
def two_jobs(api: FakeApi) -> FakeApi:
    attempts = {name: [{"number": 1, "nodes": [name]}] for name in ("n1", "n2")}
    api.answers |= {
        "GET /jobs/1": job(1, state="succeeded", attempts=attempts["n1"], spec={"placement": {"ranks": 2}}),
        "GET /jobs/2": job(2, state="succeeded", attempts=attempts["n2"], spec={"placement": {"ranks": 4}}),
        "GET /jobs/1/measurements": items(row(8, 10.0), row(1024, 100.0), row(2048, 1.0)),
        "GET /jobs/2/measurements": items(row(8, 10.1), row(1024, 50.0)),
        "GET /jobs/1/environment": environment("5.0"),
        "GET /jobs/2/environment": environment("5.1"),
        "GET /comparison": compared(RANKS, rows=ROWS),
    }
    return api


def test_differences_and_rows_side_by_side(two_jobs: FakeApi) -> None:
    done = two_jobs.run("diff", "1", "2")
    assert done.code == 0
    lines = [line.split() for line in done.out.splitlines()]
    assert lines[:4] == [
        ["DIFFERS", "A=1", "B=2"],
        ["placement.ranks", "2", "4"],
        ["nodes", "n1", "n2"],
        ["versions.mpi", "5.0", "5.1"],
    ]
    assert "size and placement: 2 (of 3 in job 1, 2 in job 2)" in done.out
    assert lines[7] == ["ALGORITHM", "SIZE", "PLACE", "A=1", "us", "B=2", "us", "B/A", "95", "%"]
    assert lines[8] == ["ring", "8", "B", "out", "of", "place", "10.00", "10.10", "1.010", "0.900", "to", "1.100"]
    assert lines[9] == [
        "ring",
        "1",
        "KiB",
        "out",
        "of",
        "place",
        "100.00",
        "50.00",
        "0.500",
        "0.490",
        "to",
        "0.510",
        "*",
    ]
    assert done.out.splitlines()[-1] == "* clear difference: 1 of 2 rows; B is faster in 1, slower in 0."


def test_the_times_are_those_that_the_ratio_is_made_of(two_jobs: FakeApi) -> None:
    clear = (0.5, 0.49, 0.51, 0.05)
    sides = [measured(8, 30.0, median_us=10.0)], [measured(8, 9.0, *clear, median_us=5.0)]
    two_jobs.answers["GET /comparison"] = compared(rows=sides)
    done = two_jobs.run("diff", "1", "2")
    assert "times are medians of the rounds, which B/A compares." in done.out
    assert done.out.splitlines()[-2].split()[-7:] == ["10.00", "5.00", "0.500", "0.490", "to", "0.510", "*"]
    [told] = json.loads(two_jobs.run("diff", "1", "2", "--json").out)["rows"]
    assert (told["a_us"], told["a_median_us"], told["b_median_us"]) == (30.0, 10.0, 5.0)
    two_jobs.answers["GET /comparison"] = compared(rows=(sides[0], [measured(8, 9.0, *clear)]))
    done = two_jobs.run("diff", "1", "2")
    assert "times are means, as not all rows have rounds." in done.out
    assert done.out.splitlines()[-2].split()[-7:-5] == ["30.00", "9.00"]


def test_jobs_without_a_common_size_are_compared_between_the_sizes(two_jobs: FakeApi) -> None:
    sentence = "Job 2 measured 8 B, and job 1 1 KiB to 4 KiB: these sizes do not overlap, so nothing can be compared."
    ends = {"base_min_bytes": 1024, "base_max_bytes": 4096, "min_bytes": None, "max_bytes": None}
    instead = {"sentence": sentence, "in_place": False, "ratio_least": None, "ratio_most": None} | ends
    found = compared(rows=([measured(1024, 10.0)], [measured(8, 10.0)]))
    found["jobs"][1]["interpolated"] = [instead | {"algorithm": name} for name in ("ring", "fastest")]
    two_jobs.answers["GET /comparison"] = found
    done = two_jobs.run("diff", "1", "2")
    assert done.out.splitlines()[-2:] == [
        f"Fastest algorithms, out of place: {sentence}",
        "`ringscope clone 2 --set benchmark.min_bytes=1024 --set benchmark.max_bytes=4096` measures the sizes of the "
        "other job.",
    ]
    told = json.loads(two_jobs.run("diff", "1", "2", "--json").out)
    assert [one["sentence"] for one in told["interpolated"]] == [sentence, sentence]


CROWD = "It had 4 ranks on 2 cores, and the base job a core for each rank."
SIMULATION = "One of them is simulated: modelled times cannot be compared with measured ones."
CLUSTER = {"benchmark": {"algorithms": ["ring"], "transport": "simulated", "topology": {"shape": "2"}}}


def test_what_should_not_be_compared_is_said(two_jobs: FakeApi) -> None:
    summary = {"kind": "benchmark", "best": [], "wrong": 0, "verdict": "", "ranks": 4, "cores": 2}
    attempts = [{"number": 1, "nodes": ["n1"], "disturbed_by": "It shared node n1 with job 3."}]
    two_jobs.answers["GET /jobs/2"] = job(2, state="succeeded", summary=summary, attempts=attempts, spec={})
    two_jobs.answers["GET /comparison"] = compared(CROWD)
    said = two_jobs.run("diff", "1", "2").out
    assert "Job 2: 4 ranks on 2 cores: the ranks shared cores, which affects every time.\n" in said
    assert "Job 2: It shared node n1 with job 3. It comes after undisturbed jobs" in said
    assert f"Job 2 and the base job 1 do not measure the same thing: {CROWD}\n" in said
    two_jobs.answers["GET /jobs/2"] = job(2, state="succeeded", attempts=[], spec=CLUSTER)
    two_jobs.answers["GET /comparison"] = compared(SIMULATION)
    said = two_jobs.run("diff", "1", "2").out
    assert "Job 2: SIMULATED: times of the cost model, nothing was measured.\n" in said
    assert f"do not measure the same thing: {SIMULATION}\n" in said


def test_the_server_says_what_is_in_the_way_as_on_the_page(two_jobs: FakeApi) -> None:
    found = (
        "Job 2 has not succeeded.",
        "The ranks lay on their nodes as 2x1 (nodes x ranks), and as 1x2 in the base job.",
    )
    two_jobs.answers["GET /comparison"] = compared(*found)
    assert f"do not measure the same thing: {' '.join(found)}\n" in two_jobs.run("diff", "1", "2").out
    [asked] = [asked for asked in two_jobs.asked if asked.path == "/comparison"]
    assert asked.query == {"job": ["1", "2"]}
    assert json.loads(two_jobs.run("diff", "1", "2", "--json").out)["obstacles"] == list(found)


def test_rows_with_wrong_elements_are_left_out_and_it_is_said(two_jobs: FakeApi) -> None:
    two_jobs.answers["GET /jobs/2/measurements"] = items(row(8, 1.0, wrong=7), row(1024, 50.0))
    said = two_jobs.run("diff", "1", "2").out
    assert "Job 2: 7 wrong elements; the rows that have any are left out.\n" in said
    told = json.loads(two_jobs.run("diff", "1", "2", "--json").out)
    assert told["jobs"][1]["caveats"] == ["7 wrong elements; the rows that have any are left out."]


def test_unstable_rows_are_marked(two_jobs: FakeApi) -> None:
    unstable = {"is_unstable": True}
    rows = (
        [measured(8, 10.0, **unstable), measured(1024, 100.0, **unstable), measured(2048, 1.0)],
        [
            measured(8, 90.0, 9.0, 8.0, 10.0, 0.5, **unstable),
            measured(1024, 100.0, 1.0, 0.5, 2.0, 0.5),
            measured(2048, 9.0, 9.0, 8.0, 10.0, 0.5, **unstable),
        ],
    )
    two_jobs.answers["GET /comparison"] = compared(rows=rows)
    assert two_jobs.run("diff", "1", "2").out.count("unstable") == 3
    told = json.loads(two_jobs.run("diff", "1", "2", "--json").out)["rows"]
    assert [(found["a_is_unstable"], found["b_is_unstable"]) for found in told] == [
        (True, True),
        (True, False),
        (False, True),
    ]


def test_json(two_jobs: FakeApi) -> None:
    told = json.loads(two_jobs.run("diff", "1", "2", "--json").out)
    assert [difference["path"] for difference in told["differences"]] == ["placement.ranks", "nodes", "versions.mpi"]
    assert [(found["size_bytes"], found["is_clear"]) for found in told["rows"]] == [(8, False), (1024, True)]
    clean = {"basis": "measured", "caveats": []}
    assert (told["jobs"], told["obstacles"]) == ([{"id": 1} | clean, {"id": 2} | clean], [RANKS])


def test_json_says_what_is_simulated_and_what_is_known_against_the_numbers(two_jobs: FakeApi) -> None:
    disturbed = [{"number": 1, "nodes": ["n1"], "disturbed_by": "It shared node n1 with job 3."}]
    two_jobs.answers["GET /jobs/1"] = job(1, state="succeeded", attempts=disturbed, spec={})
    two_jobs.answers["GET /jobs/2"] = job(2, state="succeeded", attempts=[], spec=CLUSTER)
    two_jobs.answers["GET /comparison"] = compared(SIMULATION)
    told = json.loads(two_jobs.run("diff", "1", "2", "--json").out)
    assert [side["basis"] for side in told["jobs"]] == ["measured", "simulated"]
    assert told["jobs"][0]["caveats"][0].startswith("It shared node n1 with job 3.")
    assert told["obstacles"] == [SIMULATION]


def test_a_job_and_itself(two_jobs: FakeApi) -> None:
    done = two_jobs.run("diff", "1", "1")
    assert done.out.startswith("Jobs 1 and 1 do not differ in specification, outcome, nodes or versions.\n")
    assert "Rows of the same collective" in done.out


def test_jobs_without_rows(api: FakeApi) -> None:
    for number in (1, 2):
        api.answers[f"GET /jobs/{number}"] = job(number, spec={})
        api.answers[f"GET /jobs/{number}/measurements"] = items()
        api.answers[f"GET /jobs/{number}/environment"] = {"items": []}
    api.answers["GET /comparison"] = compared()
    assert "size and placement: 0 (of 0 in job 1, 0 in job 2)" in api.run("diff", "1", "2").out


def test_training_has_no_rows_to_compare(two_jobs: FakeApi) -> None:
    two_jobs.answers["GET /jobs/2"] = job(2, kind="training", spec={"kind": "training", "training": {}})
    two_jobs.answers["GET /jobs/2/measurements"] = items()
    assert "Only benchmarks have comparable rows.\n" in two_jobs.run("diff", "1", "2").out
    assert all(asked.path != "/comparison" for asked in two_jobs.asked), "which refuses what is no benchmark"


REGRESSION = {
    "job_id": 9,
    "base_job_id": 4,
    "collective": "all_reduce",
    "algorithm": "ring",
    "size_bytes": 1 << 20,
    "nodes": ["n1", "n2"],
    "ratio": 1.4142,
    "ratio_low": 1.21,
    "ratio_high": 1.6,
}


def test_what_takes_longer_than_the_day_before_is_listed(api: FakeApi) -> None:
    api.answers["GET /comparison/regressions"] = {"pairs": 3, "items": [REGRESSION]}
    counted, headings, row, command = api.run("regressions").out.splitlines()
    assert counted == "3 benchmarks compared with the day before, 1 slower."
    assert headings.split() == [
        "ALGORITHM",
        "COLLECTIVE",
        "SIZE",
        "NODES",
        "TIMES",
        "AS",
        "LONG",
        "95",
        "%",
        "JOB",
        "BASE",
    ]
    assert row.split() == ["ring", "all_reduce", "1", "MiB", "n1,n2", "1.41", "1.21", "to", "1.6", "9", "4"]
    assert command == "`ringscope diff 4 9` compares the first ones row by row."
    told = json.loads(api.run("regressions", "--json").out)
    assert told == {"pairs": 3, "items": [REGRESSION]}


@pytest.mark.parametrize(
    ("pairs", "sentence"),
    [
        (0, "Nothing can be compared: no undisturbed benchmark ran on the same nodes on both days."),
        (2, "2 benchmarks compared with the day before, 0 slower."),
    ],
)
def test_that_nothing_takes_longer_is_told_apart_from_nothing_to_compare(
    api: FakeApi, pairs: int, sentence: str
) -> None:
    api.answers["GET /comparison/regressions"] = {"pairs": pairs, "items": []}
    assert api.run("regressions").out == sentence + "\n"
