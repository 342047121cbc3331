"""Doing something with jobs: what is sent, what is said, and the exit codes."""

import json

import pytest
from tests.cli.fake_api import Answer, FakeApi, items, job, refusal

from ringscope.cli.job_body import label_changes, patch_of
from ringscope.contracts.errors import UserError
from ringscope.contracts.merge_patch import merge_patch


@pytest.mark.parametrize("verb", ["cancel", "hold", "release"])
def test_several_jobs_are_changed_one_after_the_other(api: FakeApi, verb: str) -> None:
    for number in (1, 2):
        api.answers[f"POST /jobs/{number}/{verb}"] = job(number, state="held")
    done = api.run(verb, "1", "2", "1")
    assert (done.code, done.out) == (0, "Job 1 n1: held\nJob 2 n2: held\n")
    assert [asked.path for asked in api.asked] == [f"/jobs/1/{verb}", f"/jobs/2/{verb}"]


def test_what_is_refused_stops_none_of_the_others(api: FakeApi) -> None:
    api.answers["POST /jobs/1/hold"] = refusal(409, "wrong_state", "Job 1 has ended; only a waiting job can be held.")
    api.answers["POST /jobs/2/hold"] = job(2, state="held")
    done = api.run("hold", "1", "2")
    assert (done.code, done.out) == (2, "Job 2 n2: held\n")
    assert done.err == "Job 1 has ended; only a waiting job can be held.\n"


def test_priority_is_a_patch_of_the_job(api: FakeApi) -> None:
    api.answers["PATCH /jobs/7"] = job(7, priority=90)
    assert api.run("priority", "7", "90").out == "Job 7 n7: queued; priority 90\n"
    assert api.last.body == {"priority": 90}


def test_labels_are_changed_on_the_revision_that_was_read(api: FakeApi) -> None:
    api.answers["GET /jobs/7"] = job(7, labels={"a": "1", "old": "x"}, revision=4)
    api.answers["PATCH /jobs/7"] = job(7, labels={"a": "1", "team": "infra"})
    assert api.run("label", "7", "team=infra", "old-").out == "Job 7 n7: labels a=1 team=infra\n"
    assert api.last.body == {"labels": {"a": "1", "team": "infra"}}
    assert api.last.headers["if-match"] == '"4"'


def test_somebody_else_changed_it_meanwhile(api: FakeApi) -> None:
    api.answers["GET /jobs/7"] = job(7)
    api.answers["PATCH /jobs/7"] = refusal(412, "changed_meanwhile", "Job 7 was changed meanwhile; read it again.")
    done = api.run("label", "7", "a=1")
    assert (done.code, done.out, done.err) == (2, "", "Job 7 was changed meanwhile; read it again.\n")


def test_retry_makes_a_new_job(api: FakeApi) -> None:
    api.answers["POST /jobs/7/retry"] = Answer(job(8, cloned_from=7), 201)
    done = api.run("retry", "7")
    assert (done.code, done.out) == (0, f"Job 8 n8: queued\n{api.url}/jobs/8\n")
    assert len(api.last.headers["idempotency-key"]) == 36


def test_clone_sends_a_merge_patch_and_waits(api: FakeApi) -> None:
    api.answers["POST /jobs/7/clone"] = Answer(job(8), 201)
    api.answers["GET /jobs/8"] = job(8, state="failed", reason="oom", message="Rank 1 was out of memory.")
    done = api.run("clone", "7", "--set", "placement.ranks=8", "--set", "benchmark.max_bytes=16M", "--wait")
    assert done.code == 1
    assert done.out.splitlines()[0] == "Job 8 n8: failed (oom): Rank 1 was out of memory."
    [clone] = [asked for asked in api.asked if asked.method == "POST"]
    assert clone.body == {"placement": {"ranks": 8}, "benchmark": {"max_bytes": 16 << 20}}


def test_cloning_as_json_prints_the_job(api: FakeApi) -> None:
    api.answers["POST /jobs/7/clone"] = Answer(job(8), 201)
    assert json.loads(api.run("clone", "7", "--json").out)["id"] == 8
    assert api.last.body == {}


@pytest.mark.parametrize(
    ("words", "patch"),
    [
        (["placement.ranks=8"], {"placement": {"ranks": 8}}),
        (["benchmark.min_bytes=64K", "benchmark.check=false"], {"benchmark": {"min_bytes": 65536, "check": False}}),
        (["benchmark.algorithms=ring,mpi"], {"benchmark": {"algorithms": ["ring", "mpi"]}}),
        (['benchmark.algorithms=["ring"]'], {"benchmark": {"algorithms": ["ring"]}}),
        (["queue_timeout_seconds=null"], {"queue_timeout_seconds": None}),
        (["benchmark.dtype=int32"], {"benchmark": {"dtype": "int32"}}),
        (["name=7", "labels.run=5", "placement.selector.zone=1"], None),
    ],
)
def test_words_become_a_merge_patch(words: list[str], patch: dict[str, object] | None) -> None:
    texts = {"name": "7", "labels": {"run": "5"}, "placement": {"selector": {"zone": "1"}}}
    assert patch_of(words) == (patch if patch is not None else texts)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["ranks"], "--set ranks: this is not field=value"),
        (["placement.=8"], "--set placement.=8: this is not field=value"),
        (["benchmark.max_bytes=much"], "--set benchmark.max_bytes=much: 'much' is not a size"),
        (["placement=null", "placement.ranks=2"], "placement is set both as a whole and in part"),
    ],
)
def test_words_that_mean_nothing_are_told(words: list[str], sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        patch_of(words)
    assert sentence in str(caught.value)


def test_a_merge_patch_is_applied_as_rfc_7396_says() -> None:
    body = {"a": {"b": 1, "c": 2}, "d": [1], "e": "x"}
    assert merge_patch(body, {"a": {"b": 3, "c": None}, "d": [2], "f": {"g": None, "h": 1}}) == {
        "a": {"b": 3},
        "d": [2],
        "e": "x",
        "f": {"h": 1},
    }
    assert body["a"] == {"b": 1, "c": 2}


def test_labels_are_written_as_kubectl_writes_them() -> None:
    assert label_changes(["a=1", "b=x=y", "c-", "d="]) == {"a": "1", "b": "x=y", "c": None, "d": ""}
    with pytest.raises(UserError, match="team: this is not a label; write key=value, or key- to remove it"):
        label_changes(["team"])


def test_filters_and_pages_of_the_list(api: FakeApi) -> None:
    api.answers["GET /jobs"] = [items(job(3), job(2), next="more"), items(job(1))]
    done = api.run("jobs", "--all", "--json", "--state", "failed", "--state", "held", "--user", "ada", "--label", "a=1")
    assert [found["id"] for found in json.loads(done.out)] == [3, 2, 1]
    assert api.asked[0].query == {
        "limit": ["500"],
        "state": ["failed", "held"],
        "user": ["ada"],
        "label": ["a:1"],
    }
    assert api.asked[1].query["cursor"] == ["more"]
    api.answers["GET /jobs"] = items(job(3), job(2), next="more")
    assert len(json.loads(api.run("jobs", "--limit", "2", "--json").out)) == 2
    assert api.last.query == {"limit": ["2"]}


def test_a_note_is_written(api: FakeApi) -> None:
    api.answers["PATCH /jobs/7"] = job(7, note="new cable")
    assert api.run("note", "7", "new cable").out == "Job 7 n7: new cable\n"
