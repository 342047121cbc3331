"""Looking at jobs, logging in, and what is said when the server cannot be used."""

import json
import socket

import httpx
import pytest
from tests.bench.test_nccl_tests import row
from tests.cli.conftest import Server, assert_refused, clean_environment, run_process, run_ringscope
from tests.cli.fake_api import Answer, FakeApi, items, job, refusal

from ringscope.cli.console import visible
from ringscope.cli.formatting import table
from ringscope.client import Client


def test_jobs_lists_the_newest_first_and_filters_by_state(server: Server) -> None:
    with Client(server.url, server.admin_token) as client:
        ids = [client.submit({"name": f"listed {n} [red]"}, f"listed-{n}").id for n in range(2)]
    table = server.run("jobs", "--limit", "2").stdout.splitlines()
    assert " ".join(table[0].split()) == "ID NAME STATE REASON USER DONE CREATED BUSBW AT MAX SIZE VERDICT"
    assert [int(line.split()[0]) for line in table[1:]] == ids[::-1]
    assert "listed 1 [red]" in table[1]
    found = json.loads(server.run("jobs", "--state", "succeeded", "--json").stdout)
    assert found == []
    assert_refused(server.run("jobs", "--state", "asleep"), "asleep")


def test_jobs_are_sorted_and_found_by_what_they_measure(server: Server) -> None:
    with Client(server.url, server.admin_token) as client:
        pair = {"collective": "sendrecv", "algorithms": ["mpi"]}
        ids = [client.submit({"name": name, "benchmark": pair}, name).id for name in ("sorted b", "sorted a")]
        counted = client.job_counts("sorted ")
    assert counted["collective"] == {"sendrecv": 2}
    flags = ("--search", "sorted ", "--collective", "sendrecv", "--algorithm", "mpi", "--sort", "name", "--json")
    assert [job["id"] for job in json.loads(server.run("jobs", *flags).stdout)] == ids[::-1]
    assert json.loads(server.run("jobs", "--node", "nowhere", "--json").stdout) == []
    assert_refused(server.run("jobs", "--sort", "colour"), "sort")


def test_show_prints_the_job(server: Server) -> None:
    with Client(server.url, server.admin_token) as client:
        job = client.submit({"name": "shown"}, "shown")
        assert server.run("show", str(job.id)).stdout.startswith(f"Job {job.id} shown: ")
        assert json.loads(server.run("show", str(job.id), "--json").stdout)["name"] == "shown"
    assert server.run("logs", str(job.id)).returncode == 0


def test_show_says_why_an_elastic_job_has_fewer_ranks(api: FakeApi) -> None:
    sentence = "Runs on 3 of 4 ranks since 12:04:10 UTC. Rank 2 on node n1 was killed by SIGKILL (9)."
    found = job(1, state="running", kind="training", spec={"kind": "training"}, fewer_ranks=sentence)
    api.answers |= {"GET /jobs/1": found, "GET /jobs/1/epochs": items()}
    assert sentence in api.run("show", "1").out.splitlines()


def test_show_of_a_part_of_the_sizes_has_its_verdict(api: FakeApi) -> None:
    part = {
        "min_bytes": 65536,
        "max_bytes": 65536,
        "verdict": "At 64 KiB ring wins (median of 20 rounds).",
        "explanation": "",
    }
    rows = [row("ring", 10.0, size).model_dump(mode="json") for size in (1024, 65536)]
    found = job(1, state="succeeded", summary={"verdict": "mpi wins"}, spec={"benchmark": {}})
    api.answers |= {
        "GET /jobs/1": found,
        "GET /jobs/1/measurements": items(*(one | {"id": 1, "measured_at": "2026-01-01T00:00:00Z"} for one in rows)),
        "GET /jobs/1/verdict": part,
    }
    out = api.run("show", "1", "--min-bytes", "64K").out
    assert api.asked[-1].query == {"min_bytes": ["65536"]}
    assert (
        "At 64 KiB ring wins (median of 20 rounds)." in out and "two times in a table" in out and "mpi wins" not in out
    )
    assert [line.split()[0] for line in out.splitlines() if line[:1] == " "] == ["65536"]
    assert "--max-bytes: only the table has rows" in api.run("show", "1", "--max-bytes", "1M", "--json").err
    api.answers["GET /jobs/1"] = job(1, kind="training", spec={"kind": "training"})
    assert "--min-bytes: job 1 is no benchmark" in api.run("show", "1", "-b", "8").err


def test_show_of_a_script_has_its_collectives(api: FakeApi) -> None:
    found = job(1, state="running", kind="script", spec={"kind": "script", "script": {"file": "train.py"}})
    names = ("collective", "least_bytes", "mean_bytes", "ranks", "calls", "bytes", "time_us", "algbw_gb_per_s")
    rows = [
        ("all_reduce of DDP", 1 << 22, 1 << 22, 2, 128, 1 << 29, 2100.0, 1.997),
        ("all_gather", 64, 96, 2, 4, 384, None, None),
        ("barrier", 0, 0, 2, 2, 0, 400.0, None),
    ]
    called = {"items": [dict(zip(names, row, strict=True)) for row in rows], "ranks": 2}
    api.answers |= {"GET /jobs/1": found, "GET /jobs/1/epochs": items(), "GET /jobs/1/collectives": called}
    lines = [" ".join(line.split()) for line in api.run("show", "1").out.splitlines()]
    at = lines.index("COLLECTIVE SIZE CALLS BYTES TIME ALGBW")
    assert lines[at + 1 : at + 4] == [
        "all_reduce of DDP 4 MiB 128 512 MiB 2.1 ms 2 GB/s",
        "all_gather 96 B 4 384 B not known",
        "barrier 2 400 us",
    ]
    api.answers["GET /jobs/1/collectives"] = refusal(404, "not_found", "No such path.")  # an earlier version
    earlier = api.run("show", "1")
    assert (earlier.code, "COLLECTIVE" in earlier.out) == (0, False)


def test_an_unknown_job_is_one_line(server: Server) -> None:
    for command in ("show", "logs", "cancel"):
        assert_refused(server.run(command, "424242"), "There is no job 424242.")


def test_login_prints_a_link_of_this_server(server: Server) -> None:
    assert server.run("login").stdout.startswith(f"{server.url}/login?token=")
    link = httpx.URL(server.run("login", "--next", "/jobs/7", "--role", "viewer", "--hours", "2").stdout.strip())
    assert link.params["next"] == "/jobs/7"
    with httpx.Client(base_url=f"{server.url}/api/v1") as browser:
        begun = browser.post("/session", json={"token": link.params["token"]})
        assert "Max-Age=7200" in begun.headers["Set-Cookie"]
        assert browser.get("/me").json()["role"] == "viewer"
    assert_refused(server.run("login", "--hours", "1000"), "168")


def test_a_wrong_token_is_one_line(server: Server) -> None:
    assert_refused(server.run("jobs", RINGSCOPE_TOKEN="wrong"), "token")


def test_no_token_is_one_line(tmp_path: object) -> None:
    done = run_ringscope("jobs", environment=clean_environment(RINGSCOPE_DATA_DIR=str(tmp_path)))
    assert_refused(done, "No token", "RINGSCOPE_TOKEN")


def test_a_server_that_is_away_is_one_line(server: Server) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert_refused(
        server.run("jobs", RINGSCOPE_URL=f"http://127.0.0.1:{port}"), f":{port} does not answer", "ringscope up"
    )


# That the server's flags reach it shows in the gate where it refuses one: tests/cli/start/test_up.py.
@pytest.mark.parametrize(
    ("role", "flag"), [("agent", "--join-token-file"), pytest.param("server", "--public-url", marks=pytest.mark.long)]
)
def test_roles_pass_their_flags_through(role: str, flag: str) -> None:
    done = run_process(role, "--help", environment=clean_environment())
    assert done.returncode == 0
    assert flag in done.stdout


def test_names_and_logs_command_no_terminal(server: Server) -> None:
    assert visible("a\x1b[2Jb\x07\x9b\r\n\tc") == "a\\x1b[2Jb\\x07\\x9b\\x0d\n\tc"
    with Client(server.url, server.admin_token) as client:
        job = client.submit({"name": "plain", "labels": {"team": "\x1b]0;x\x07"}}, "with-a-label")
    for command in (("show", str(job.id)), ("jobs",)):
        assert "\x1b" not in server.run(*command).stdout
    assert "team=\\x1b]0;x\\x07" in server.run("show", str(job.id)).stdout
    (cell,) = table(["NAME"], [["\x1b[31m"]]).columns[0].cells
    assert cell == "\\x1b[31m"


def test_a_file_reaches_a_pipe_as_it_is_and_a_terminal_without_its_control_characters(
    api: FakeApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.answers["GET /jobs/7/steps/export"] = Answer("id,op\r\n1,\x1b[2J\r\n")
    api.answers["GET /events/export"] = Answer('{"actor": "\x9b2J"}\n')
    assert api.run("steps", "7").out == "id,op\r\n1,\x1b[2J\r\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert api.run("steps", "7").out == "id,op\n1,\\x1b[2J\n"
    assert api.run("events", "--export", "ndjson").out == '{"actor": "\\x9b2J"}\n'


def test_steps_are_what_the_server_sends(api: FakeApi) -> None:
    text = "id,rank,step\r\n1,0,0\r\n"
    api.answers["GET /jobs/7/steps/export"] = Answer(text)
    assert api.run("steps", "7", "--rank", "1", "--attempt", "2").out == text
    assert api.last.query == {"format": ["csv"], "rank": ["1"], "attempt": ["2"]}
    api.run("steps", "7", "--export", "openmetrics", "--algorithm", "ring")
    assert api.last.query == {"format": ["openmetrics"], "algorithm": ["ring"]}
    api.answers["GET /jobs/7/steps/export"] = refusal(404, "not_found", "There is no job 7.")
    done = api.run("steps", "7")
    assert (done.code, done.out, done.err) == (2, "", "There is no job 7.\n")


def test_jobs_are_listed_by_their_judgement(api: FakeApi) -> None:
    api.answers["GET /jobs"] = {"items": [], "next": None}
    assert "No job matches." in api.run("jobs", "--judgement", "low").out
    assert api.last.query["judgement"] == ["low"]
