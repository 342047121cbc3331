"""The terminal shows caveats beside a job's numbers."""

from typing import Any

import pytest
from tests.bench.test_nccl_tests import row
from tests.cli.fake_api import FakeApi, items, job

ROW = {"size_bytes": 1024, "busbw_gb_per_s": 2.0}
SHARED = {"number": 1, "nodes": ["n1"], "disturbed_by": "It shared node n1 with job 7."}


def benchmark(**more: Any) -> dict[str, Any]:
    summary = {"verdict": "ring wins", "sizes": [ROW], "ranks": 4, "cores": 2}
    return job(1, name="noisy", state="succeeded", summary=summary, attempts=[SHARED]) | more


def test_a_list_marks_what_should_not_be_compared(api: FakeApi) -> None:
    api.answers["GET /jobs"] = items(benchmark())
    assert "2 GB/s, 4 ranks on 2 cores, disturbed" in api.run("jobs").out


def test_training_is_marked_likewise_and_its_results_cover_all_attempts(api: FakeApi) -> None:
    summary = {"kind": "training", "steps_done": 4, "loss": 0.5, "ranks": 4, "cores": 2}
    attempts = [SHARED, SHARED | {"number": 2, "disturbed_by": None}]
    spec = {"kind": "training", "training": {"epochs": 3}}
    found = job(1, kind="training", state="succeeded", spec=spec, summary=summary, attempts=attempts)
    api.answers |= {"GET /jobs": items(found), "GET /jobs/1": found, "GET /jobs/1/epochs": items()}
    assert "loss 0.5000, 4 ranks on 2 cores, disturbed" in api.run("jobs").out
    assert "It shared node n1 with job 7. It comes after undisturbed jobs" in api.run("show", "1").out


def test_a_list_marks_numbers_that_are_wrong_or_say_little(api: FakeApi) -> None:
    best = {"algorithm": "ring", "busbw_gb_per_s": 2.0, "size_bytes": 8, "is_unstable": True}
    summary = {"verdict": "ring wins", "sizes": [ROW | {"is_unstable": True}], "wrong": 3}
    api.answers["GET /jobs"] = items(job(1, state="failed", summary=summary))
    assert "2 GB/s, 3 wrong, unstable" in api.run("jobs").out
    elsewhere = {"sizes": [best, ROW], "best": [best]}  # the best row is at another size than the one that is listed
    api.answers["GET /jobs"] = items(job(1, state="succeeded", summary=elsewhere))
    assert "unstable" not in api.run("jobs").out


@pytest.mark.parametrize("command", [("jobs",), ("show", "1"), ("clone", "1")])
@pytest.mark.parametrize("state", ["running", "stopping", "failed", "cancelled", "succeeded"])
def test_the_verdict_is_told_of_a_whole_sweep_alone(api: FakeApi, command: tuple[str, ...], state: str) -> None:
    found = benchmark(state=state)
    api.answers |= {"GET /jobs": items(found), "POST /jobs/1/clone": found}
    api.answers |= {"GET /jobs/1": found, "GET /jobs/1/measurements": items()}
    assert ("ring wins" in api.run(*command).out) is (state == "succeeded")


@pytest.mark.parametrize("command", [("show", "1"), ("clone", "1", "--wait")])
def test_a_result_says_why(api: FakeApi, command: tuple[str, ...]) -> None:
    api.answers |= {"GET /jobs/1": benchmark(), "POST /jobs/1/clone": benchmark(), "GET /jobs/1/measurements": items()}
    out = api.run(*command).out
    assert "4 ranks on 2 cores: the ranks shared cores, which affects every time." in out
    assert "It shared node n1 with job 7. It comes after undisturbed jobs and counts less in baselines." in out


def test_a_fit_says_why_its_rows_may_not_tell_the_links(api: FakeApi) -> None:
    rows = [row(name, 1.0 + size / 1e3, size) for name in ("ring", "direct") for size in (1024, 4096, 65_536)]
    doubtful = {"ranks": 4, "wrong": 1, "id": 1, "measured_at": "2026-01-01T00:00:00Z"}
    told = [one.model_dump(mode="json") | doubtful for one in rows]
    failed = benchmark(state="failed", attempts=[SHARED | {"reason": "verification_failed"}])
    api.answers |= {"GET /jobs/1": failed, "GET /jobs/1/measurements": items(*told)}
    out = api.run("fit", "--job", "1").out
    assert "The job has not succeeded: it ended as verification_failed." in out
    assert "6 elements of its rows were wrong." in out
    assert "4 ranks on 2 cores: the ranks shared cores, which affects every time." in out
    assert "It shared node n1 with job 7." in out


def test_channels_that_it_asked_for_are_told(api: FakeApi) -> None:
    asked = benchmark(spec={"benchmark": {"channels": 2, "algorithms": ["direct"]}})  # which goes in none
    api.answers |= {"GET /jobs": items(asked), "GET /jobs/1": asked, "GET /jobs/1/measurements": items()}
    assert "2 GB/s, 2 channels, 4 ranks on 2 cores, disturbed" in api.run("jobs").out
    assert (
        "It asked for 2 channels of rings and trees. It is not comparable with jobs in the default mode."
        in api.run("show", "1").out
    )


def test_every_unusual_mode_is_told(api: FakeApi) -> None:
    modes = {"aggregate": 5, "blocking": 1, "registration": 2, "average": "min", "rotate": True}
    modes |= {"algorithms": ["direct"]}
    asked = benchmark(spec={"benchmark": modes})
    api.answers |= {"GET /jobs": items(asked), "GET /jobs/1": asked, "GET /jobs/1/measurements": items()}
    assert (
        "2 GB/s, aggregate 5, blocking 1, registration 2, average min, rotate, 4 ranks on 2 cores"
        in api.run("jobs").out
    )
    out = api.run("show", "1").out
    waited, shortest = "to wait for each operation, after which all ranks meet", "for the shortest of the ranks' times"
    for words in (
        "for 5 operations in each iteration",
        waited,
        shortest,
        "for buffers that are NCCL's symmetric windows",
        "for another piece of memory in each operation",
    ):
        assert f"It asked {words}. It is not comparable with jobs in the default mode." in out


def test_training_has_none(api: FakeApi) -> None:
    api.answers["GET /jobs/1"] = job(1, spec={"kind": "training", "training": {}}, kind="training", attempts=[SHARED])
    assert "shared" not in api.run("show", "1").out


def test_simulated_stands_before_the_name(api: FakeApi) -> None:
    spec = {"benchmark": {"transport": "simulated", "topology": {"shape": "4x8"}, "algorithms": ["ring"]}}
    api.answers |= {
        "GET /jobs": items(job(1, name="big", spec=spec)),
        "GET /jobs/1": job(1, name="big", spec=spec, state="succeeded"),
        "GET /jobs/1/measurements": items(),
    }
    assert "SIMULATED big" in api.run("jobs").out
    assert api.run("show", "1").out.startswith("Job 1 SIMULATED big: succeeded")
