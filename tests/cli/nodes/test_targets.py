"""The targets that Prometheus is to scrape are printed, or written to a file."""

import json
from pathlib import Path

import pytest
from tests.cli.fake_api import FakeApi, refusal

GROUPS = [{"targets": ["10.0.0.1:9465"], "labels": {"node": "n1", "cluster": "ringscope"}}]
ROUTE = "GET /prometheus/targets"


def test_they_are_printed_as_prometheus_takes_them(api: FakeApi) -> None:
    api.answers[ROUTE] = [GROUPS]
    assert json.loads(api.run("targets").out) == GROUPS


def test_a_file_is_replaced_as_a_whole(api: FakeApi, tmp_path: Path) -> None:
    file = tmp_path / "nodes.json"
    file.write_text("old")
    before = file.open()  # whoever reads it now goes on with the old one
    api.answers[ROUTE] = [GROUPS]
    assert api.run("targets", "--file", str(file)).code == 0
    assert json.loads(file.read_text()) == GROUPS
    assert before.read() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["nodes.json"]
    before.close()


def test_a_server_that_cannot_tell_leaves_the_file(api: FakeApi, tmp_path: Path) -> None:
    file = tmp_path / "nodes.json"
    file.write_text("old")
    api.answers[ROUTE] = refusal(503, "not_ready", "The list of nodes is not read yet; try again.")
    done = api.run("targets", "--file", str(file))
    assert (done.code, done.err) == (2, "The list of nodes is not read yet; try again.\n")
    assert file.read_text() == "old"


def test_it_goes_on_after_trouble(api: FakeApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, pauses = tmp_path / "nodes.json", []

    def sleep(seconds: float) -> None:
        pauses.append((seconds, file.exists()))
        if len(pauses) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("ringscope.cli.commands.monitoring.time.sleep", sleep)
    api.answers[ROUTE] = [refusal(503, "not_ready", "The list of nodes is not read yet; try again."), GROUPS]
    done = api.run("targets", "--file", str(file), "--every", "30")
    assert (done.code, done.err) == (130, "The list of nodes is not read yet; try again.\n")
    assert pauses == [(30.0, False), (30.0, True)]


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--every", "5"), "--every: there is no file to write; give --file."),
        (
            ("--file", "nodes.txt"),
            "--file: nodes.txt does not end in .json, which Prometheus needs to recognise the format;",
        ),
        (("--file", "/no/such/folder/nodes.json"), "cannot be written (No such file or directory)"),
    ],
)
def test_bad_input_is_one_sentence(api: FakeApi, flags: tuple[str, ...], sentence: str) -> None:
    api.answers[ROUTE] = [GROUPS]
    done = api.run("targets", *flags)
    assert done.code == 2
    assert sentence in done.err and len(done.err.splitlines()) == 1
