"""The lab on the command line: what it refuses, each in one line. Real ones are in tests/cluster/hosts."""

import os
import shutil
from pathlib import Path

import pytest
from tests.cli.fake_api import FakeApi, items
from tests.cli.test_nodes import node

from ringscope.lab.lab import MACHINE, Lab
from ringscope.lab.network import Layout, Link


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As if this were root on a machine with the tools, and without a lab."""
    tool = tmp_path / "ip"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    shutil.copy(tool, tmp_path / "tc")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--rate", "fast"), "--rate: 'fast' is no rate; write it like 80mbit, 1gbit or 10Gbit/s."),
        (("--rate", "0mbit"), "--rate: '0mbit' is no rate; write it like 80mbit, 1gbit or 10Gbit/s."),
        (("--delay", "soon"), "--delay: 'soon' is not a duration; write for example 5us, 1.5ms or 2s."),
        (("--hosts", "2", "--racks", "3"), "--racks: 3 racks are more than 2 hosts; take fewer."),
    ],
)
def test_bad_input_is_one_line(api: FakeApi, flags: tuple[str, ...], sentence: str) -> None:
    done = api.run("lab", "up", *flags)
    assert (done.code, done.out, done.err) == (2, "", sentence + "\n")


@pytest.mark.parametrize("loss", ["much", "100%", "-1%"])
def test_a_loss_that_is_no_share_is_refused(api: FakeApi, loss: str) -> None:
    done = api.run("lab", "degrade", "h1", f"--loss={loss}")
    assert done.err == f"--loss: {loss!r} is no share of the packets; write it like 5% (0% to below 100%).\n"


def test_degrade_without_a_change_is_refused(api: FakeApi) -> None:
    assert api.run("lab", "degrade", "h1").err == "Say what is to be degraded: --rate, --delay or --loss.\n"


def test_without_root_one_line_says_so(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    done = api.run("lab", "down")
    assert (done.code, done.err) == (2, "Shaped links need root (network namespaces); run them with sudo.\n")


def test_without_tc_one_line_says_so(api: FakeApi, root: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tc").unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert api.run("lab", "down").err == "Shaped links need tc; on Debian: apt-get install iproute2.\n"


def test_without_a_lab_every_command_says_so(api: FakeApi, root: None) -> None:
    sentence = "There is no lab on this data directory"
    for command in (("status",), ("cut", "h1"), ("heal", "h1"), ("degrade", "h1", "--loss", "1%")):
        done = api.run("lab", *command)
        assert sentence in done.out + done.err
    assert api.run("lab", "down").out == "There was no lab on this data directory.\n"


def test_living_nodes_of_these_names_are_left_alone(api: FakeApi, root: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ringscope.cli.lab.is_ready", lambda url: True)
    api.answers["GET /nodes"] = items(node("h2", labels={"lab": MACHINE}), node("h3", labels={}), node("h9"))
    done = api.run("lab", "up", "--hosts", "4")
    assert done.err == "--prefix: the server has a living node h3 already; choose another prefix.\n"


def test_racks_are_as_even_as_can_be() -> None:
    layout = Layout("x-", "10.0.0", hosts=5, link=Link(1_000_000), racks=2)
    assert [layout.rack_name(number) for number in range(5)] == ["rack1"] * 3 + ["rack2"] * 2
    assert layout.addresses[:2] == ("10.0.0.1", "10.0.0.2")


def test_each_data_directory_has_names_of_its_own(tmp_path: Path) -> None:
    assert Lab(tmp_path / "a").prefix != Lab(tmp_path / "b").prefix
    assert Lab(tmp_path / "a").prefix == Lab(tmp_path / "b" / ".." / "a").prefix
