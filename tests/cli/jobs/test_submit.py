"""`ringscope submit`: the flags, the sentences and the exit codes."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import SLOTS, Server, assert_refused, eventually
from tests.cli.fake_api import FakeApi

from ringscope.cli.job_body import job_body, pairs, script_fields, variables
from ringscope.cli.outcome import exit_code
from ringscope.client import Client, Job
from ringscope.contracts.errors import UserError

JOB: dict[str, Any] = {"benchmark": {"min_bytes": 8}, "labels": {"a": "1"}}


SIMULATION = {"transport": "simulated", "topology": {"shape": "2x4"}}


def test_flags_override_the_file_and_leave_it_alone() -> None:
    flags = {("benchmark", "max_bytes"): 64, ("labels",): {"b": "2"}, ("name",): None, ("placement", "ranks"): 3}
    assert job_body(JOB, flags) == {
        "benchmark": {"min_bytes": 8, "max_bytes": 64},
        "labels": {"b": "2"},
        "placement": {"ranks": 3},
    }
    assert JOB == {"benchmark": {"min_bytes": 8}, "labels": {"a": "1"}}


@pytest.mark.parametrize(
    ("job", "flag", "sentence"),
    [
        (
            '{"placement": "x"}',
            ("--ranks", "2"),
            "placement: the file has 'x' here; give an object, or no flags for it.",
        ),
        (
            '{"benchmark": [1]}',
            ("--algorithm", "ring"),
            "benchmark: the file has [1] here; give an object, or no flags",
        ),
        pytest.param("[" * 100_000, (), "job.json does not contain a job: it is nested too deeply", id="deep"),
    ],
)
def test_a_file_that_holds_no_job_is_told_in_a_sentence(
    api: FakeApi, tmp_path: Path, job: str, flag: tuple[str, ...], sentence: str
) -> None:
    file = tmp_path / "job.json"
    file.write_text(job)
    done = api.run("submit", str(file), *flag)
    assert (done.code, len(done.err.splitlines()), api.asked) == (2, 1, [])
    assert sentence in done.err


def test_variables_are_given_with_their_value_or_taken_from_this_environment() -> None:
    inherited = {"HF_TOKEN": "hf_1"}
    assert variables(["NCCL_ALGO=Ring", "MKL_X=a=b", "HF_TOKEN"], inherited) == {
        "NCCL_ALGO": "Ring",
        "MKL_X": "a=b",
        "HF_TOKEN": "hf_1",
    }
    assert variables(None, inherited) is None
    with pytest.raises(UserError, match="--env HOME: this is not NAME=value, and no variable has this name here"):
        variables(["HOME"], inherited)


@pytest.mark.parametrize("token", ["rs_é", "rs_a\nb"])
def test_a_token_that_cannot_be_sent_is_told_in_a_sentence(
    api: FakeApi, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("RINGSCOPE_TOKEN", token)
    done = api.run("jobs")
    assert (done.code, api.asked) == (2, [])
    assert done.err == "The token holds characters that no token has; copy it again, and check RINGSCOPE_TOKEN.\n"


def test_pairs() -> None:
    assert pairs("--label", ["a=1", "b=x=y"]) == {"a": "1", "b": "x=y"}
    assert pairs("--label", None) is None
    with pytest.raises(UserError, match="--label a: this is not key=value"):
        pairs("--label", ["a"])


@pytest.mark.parametrize(("state", "code"), [("succeeded", 0), ("failed", 1), ("cancelled", 3)])
def test_the_outcome_is_the_exit_code(server: Server, state: str, code: int) -> None:
    with Client(server.url, server.admin_token) as client:
        job = client.submit({"name": "any"}, f"outcome-{state}")
    assert exit_code(Job.model_validate(job.model_dump() | {"state": state})) == code


def test_every_flag_reaches_the_spec(server: Server) -> None:
    done = server.run(
        *("submit", "--json", "--name", "all flags", "--ranks", "3", "--nodes", "1", "--ranks-per-node", "3"),
        *("--collective", "reduce", "-r", "2"),
        *(
            "--algorithm",
            "ring",
            "--algorithm",
            "mpi",
            "--transport",
            "mpi",
            "-b",
            "1K",
            "-e",
            "1M",
            "-f",
            "4",
            "-n",
            "7",
        ),
        *("-m", "3", "-N", "2", "-z", "1", "-a", "3", "-I", "1", "-K", "4", "-T", "30", "--rotate", "1", "--trace"),
        *("--channels", "2"),
        *("-w", "2", "-c", "0", "-d", "int", "-o", "sum", "--priority", "70", "--time-limit", "90"),
        *("--label", "team=infra", "--label", "run=5", "--device", "cpu", "--queue-timeout", "3600"),
        *("--max-attempts", "2", "--hold", "--hang-seconds", "9"),
        *("--start-seconds", "90", "--load-seconds", "7200"),
    )
    assert done.returncode == 0, done.stderr
    spec = json.loads(done.stdout)["spec"]
    assert spec["benchmark"] == {
        "collective": "reduce",
        "root": 2,
        "algorithms": ["ring", "mpi"],
        "transport": "mpi",
        "topology": None,
        "device": "cpu",
        "dtype": "int32",
        "op": "sum",
        "min_bytes": 1024,
        "max_bytes": 1 << 20,
        "step_factor": 4,
        "step_bytes": None,
        "cycles": 2,
        "aggregate": 3,
        "blocking": 1,
        "average": "max",
        "per_iteration": True,
        "skip_iterations": 4,
        "rotate": True,
        "channels": 2,
        "trace": True,
        "timeout_seconds": 30,
        "warmup": 2,
        "iterations": 7,
        "check": False,
    }
    assert (spec["name"], spec["priority"], spec["time_limit_seconds"]) == ("all flags", 70, 90)
    assert (spec["queue_timeout_seconds"], spec["max_attempts"], spec["hold"]) == (3600, 2, True)
    assert (spec["start_seconds"], spec["load_seconds"], spec["hang_seconds"]) == (90, 7200, 9)
    assert spec["labels"] == {"team": "infra", "run": "5"}


def test_the_options_of_a_cluster_reach_the_spec_of_a_simulation(server: Server) -> None:
    options = ("--link", "ib200", "--latency", "3us", "--intra", "300GB/s", "--nics", "2", "--oversubscription", "4")
    more = ("--channels", "1", "--gamma", "20GB/s")
    done = server.run("submit", "--json", "--transport", "simulated", "--topology", "2x2x4", *options, *more)
    assert done.returncode == 0, done.stderr
    spec = json.loads(done.stdout)["spec"]
    assert spec["benchmark"]["topology"] == {
        "shape": "2x2x4",
        "link": "ib200",
        "latency_us": 3.0,
        "intra": "300GB/s",
        "nics_per_node": 2,
        "channels": 1,
        "oversubscription": 4.0,
        "reduce_gb_per_s": 20.0,
    }
    assert spec["placement"]["ranks"] == 1
    again = server.run("submit", "-", "--json", "--ranks", "5", stdin=json.dumps({"benchmark": SIMULATION}))
    assert json.loads(again.stdout)["spec"]["benchmark"]["topology"]["shape"] == "5"
    contradiction = server.run("submit", "--transport", "simulated", "--topology", "2x4", "--ranks", "9")
    assert_refused(contradiction, "--ranks: 2x4 has 8 ranks, not 9; leave --ranks out.")


def test_a_job_from_stdin_and_from_a_file(server: Server, tmp_path: Any) -> None:
    text = json.dumps({"name": "from a file", "placement": {"ranks": 2}})
    (tmp_path / "job.json").write_text(text)
    for done in (
        server.run("submit", "-", "--json", "--ranks", "1", stdin=text),
        server.run("submit", str(tmp_path / "job.json"), "--json", "--ranks", "1"),
    ):
        spec = json.loads(done.stdout)["spec"]
        assert (spec["name"], spec["placement"]["ranks"]) == ("from a file", 1)


@pytest.mark.parametrize(
    ("flags", "pointer"),
    [
        (("--ranks", str(SLOTS + 1)), "/placement/ranks"),
        (("--algorithm", "ring,warp"), "/benchmark/algorithms/1"),
        (("-b", "2K", "-e", "1K"), "/benchmark/min_bytes"),
        (("-n", "-3"), "/benchmark/iterations"),
        (("-d", "quarter"), "/benchmark/dtype"),
    ],
)
def test_bad_input_is_the_servers_own_sentence(server: Server, flags: tuple[str, ...], pointer: str) -> None:
    done = server.run("submit", *flags)
    assert_refused(done)
    sentence = done.stderr.strip()
    field = pointer.split("/")[-1] if not pointer[-1].isdigit() else "algorithms[1]"
    assert field in sentence
    assert sentence.endswith(".")


def test_the_sentence_equals_the_apis(server: Server) -> None:
    import httpx

    body = {"benchmark": {"min_bytes": 2048, "max_bytes": 1024}}
    answer = httpx.post(
        f"{server.url}/api/v1/jobs", json=body, headers={"Authorization": f"Bearer {server.admin_token}"}
    )
    assert answer.status_code == 422
    [error] = answer.json()["errors"]
    assert error["pointer"] == "/benchmark/min_bytes"
    assert server.run("submit", "-b", "2K", "-e", "1K").stderr.strip() == error["detail"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-b", "12X"), ("-b", "'12X' is not a size")),
        (("--label", "team"), ("--label team", "key=value")),
        (("/nowhere/job.json",), ("/nowhere/job.json cannot be read",)),
        (("-",), ("- does not contain a job: it is",)),
    ],
)
def test_bad_flags_never_reach_the_server(server: Server, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    assert_refused(server.run("submit", *arguments), *words)


def test_waiting_for_a_cancelled_job_exits_with_3(server: Server) -> None:
    with Client(server.url, server.admin_token) as client:
        before = {job.id for job in client.jobs(limit=100)}
        waiting = server.start("submit", "--name", "to cancel", "--wait")
        job_id = eventually(
            lambda: next((job.id for job in client.jobs(limit=100) if job.id not in before), None), "the job"
        )
        cancelled = server.run("cancel", str(job_id))
        assert cancelled.returncode == 0, cancelled.stderr
    out, err = waiting.communicate(timeout=40)
    assert waiting.returncode == 3, err
    assert f"Job {job_id} to cancel: cancelled" in out


def test_a_script_is_given_as_a_command() -> None:
    assert job_body({}, script_fields("-m pkg/train.py --name 'a b'", "work")) == {
        "kind": "script",
        "script": {"file": "pkg/train.py", "arguments": ["--name", "a b"], "as_module": True, "folder": "work"},
    }
    assert job_body({}, script_fields("train.py", None)) == {
        "kind": "script",
        "script": {"file": "train.py", "arguments": []},
    }
    assert job_body({}, script_fields(None, None)) == {}
    assert job_body({}, script_fields("train.py", None, no_watch=True))["script"]["no_watch"] is True
    for words in ("", "-m"):
        with pytest.raises(UserError, match="--script: no file is named; write for example"):
            script_fields(words, None)
