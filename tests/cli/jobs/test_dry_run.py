"""`ringscope submit --dry-run`: asked, told, and nothing submitted."""

import json

from tests.cli.fake_api import FakeApi

PLAN = {
    "starts_now": False,
    "estimated_start": "2036-01-02T03:04:05Z",
    "pending": {"reason": "slots", "sentence": "needs 8 free slots, 3 are free"},
    "shares": [{"node": "n1", "slots": [0, 1]}],
    "position": 2,
    "delays": [{"job_id": 4, "name": "big", "is_simulated": False, "from": "2036-01-02T03:00:00Z", "to": None}],
}


def test_a_plan_in_words(api: FakeApi) -> None:
    api.answers["POST /plan/queue"] = PLAN
    done = api.run("submit", "--ranks", "8", "--dry-run")
    assert done.code == 0
    first, *rest = done.out.splitlines()
    assert first.startswith("It would wait, and start about 2036-01-02 03:04:05 (in ")
    assert first.endswith(") on n1 (2 slots).")
    assert rest[:2] == ["Why: needs 8 free slots, 3 are free", "It would be number 2 in the queue."]
    assert rest[2].startswith("Job 4 big would start later: about an unknown time instead of 2036-01-02 03:00:00")
    assert "SIMULATED" not in done.out
    assert [asked.path for asked in api.asked] == ["/plan/queue"]
    assert api.last.body == {"placement": {"ranks": 8}}


def test_a_job_that_would_start_now(api: FakeApi) -> None:
    now = {"starts_now": True, "estimated_start": None, "pending": None, "position": None, "delays": []}
    api.answers["POST /plan/queue"] = PLAN | now
    assert api.run("submit", "--dry-run").out == "It would start now on n1 (2 slots).\nIt would delay no other job.\n"


def test_why_it_would_get_these_nodes(api: FakeApi) -> None:
    because = "The slowest measured link among n2 and n3 reaches 11 GB/s."
    api.answers["POST /plan/queue"] = PLAN | {"placed_because": because}
    assert because in api.run("submit", "--arrangement", "fastest", "--dry-run").out.splitlines()


def test_simulated_stands_before_the_name_of_a_delayed_job(api: FakeApi) -> None:
    api.answers["POST /plan/queue"] = PLAN | {"delays": [PLAN["delays"][0] | {"is_simulated": True}]}
    assert "Job 4 SIMULATED big would start later" in api.run("submit", "--dry-run").out


def test_a_job_that_would_end_others(api: FakeApi) -> None:
    api.answers["POST /plan/queue"] = PLAN | {"preempted_jobs": [3, 5]}
    assert "It would end job 3, job 5, of lower priority." in api.run("submit", "--dry-run").out.splitlines()


def test_json_is_the_servers_own(api: FakeApi) -> None:
    api.answers["POST /plan/queue"] = PLAN
    told = json.loads(api.run("submit", "--dry-run", "--json").out)
    assert told["delays"] == PLAN["delays"]
    assert told["pending"]["sentence"] == "needs 8 free slots, 3 are free"


def test_every_word_on_placement_reaches_the_server(api: FakeApi) -> None:
    api.answers["POST /plan/queue"] = PLAN
    flags = (
        "--arrangement",
        "spread",
        "--exclusive",
        "--same-rack",
        "--when-quiet",
        "--preflight",
        "--selector",
        "zone=1",
        "--gpu-model",
        "H200",
    )
    api.run("submit", "--dry-run", *flags, "--min-gpu-memory", "80G", "--min-memory", "1.5G")
    assert api.last.body["placement"] == {
        "arrangement": "spread",
        "exclusive": True,
        "same_rack": True,
        "quiet": True,
        "preflight": True,
        "selector": {"zone": "1"},
        "gpu_model": "H200",
        "min_gpu_memory_bytes": 80 << 30,
        "min_memory_bytes": 3 << 29,
    }
