"""The lab on the command line: what it refuses, each in one line. Real ones are in tests/cluster/hosts."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.cli.fake_api import FakeApi, items
from tests.cli.nodes.test_nodes import node

from ringscope.lab import background
from ringscope.lab import lab as module
from ringscope.lab.lab import MACHINE, Lab, LabState, WantedLab
from ringscope.lab.network import Layout, Link

LACKING_TC = "#!/bin/sh\necho 'Error: Specified qdisc kind is unknown.' >&2\nexit 2\n"
NO_NETEM = (
    "--delay: links cannot be delayed here, which takes the kernel's netem (Specified qdisc kind is unknown.); get its "
    "module sch_netem (Ubuntu: linux-modules-extra, Fedora and RHEL: kernel-modules-extra), or leave --delay out.\n"
)


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Pretend that this process is root on a machine that has the tools and no lab."""
    tool = tmp_path / "ip"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    shutil.copy(tool, tmp_path / "tc")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")


@pytest.fixture
def without_netem(root: None, tmp_path: Path) -> Path:
    """Pretend that the kernel can delay no packet; return the file with the calls of ``ip`` and ``unshare``."""
    asked = tmp_path / "asked"
    for tool, then in (("ip", ""), ("unshare", 'shift; exec "$@"\n')):
        (tmp_path / tool).write_text(f'#!/bin/sh\necho {tool} "$@" >> {asked}\n{then}')
        (tmp_path / tool).chmod(0o755)
    (tmp_path / "tc").write_text(LACKING_TC)
    return asked


@pytest.fixture
def lab_file(tmp_path: Path) -> Path:
    """Write and return the state file of a lab of two hosts; the hosts themselves do not exist."""
    file = tmp_path / "data" / "lab" / "lab.json"
    file.parent.mkdir(parents=True)
    wanted = WantedLab(hosts=2, rate_bit_per_s=10**9, server="http://127.0.0.1:8000")
    file.write_text(LabState(wanted=wanted, subnet="10.213.1").model_dump_json())
    return file


def test_an_agent_that_has_not_entered_its_namespace_yet_is_alive(root: None, lab_file: Path, tmp_path: Path) -> None:
    lab = Lab(lab_file.parents[1])
    (tmp_path / "netns").write_text("read _\n")  # what sh executes by these words waits for the end of its input
    with subprocess.Popen(lab.layout().inside(0, []), executable="/bin/sh", cwd=tmp_path, stdin=subprocess.PIPE) as ip:
        state = LabState.model_validate_json(lab_file.read_text())
        lab_file.write_text(state.model_copy(update={"agents": {"h1": ip.pid}}).model_dump_json())
        assert lab.is_alive("h1")
        ip.communicate()
    assert not lab.is_alive("h1")


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--rate", "fast"), "--rate: 'fast' is not a rate; write it like 80mbit, 1gbit or 10Gbit/s."),
        (("--rate", "0mbit"), "--rate: '0mbit' is not a rate; write it like 80mbit, 1gbit or 10Gbit/s."),
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
    assert done.err == f"--loss: {loss!r} is not a share of packets; write it like 5% (0% to below 100%).\n"


def test_degrade_without_a_change_is_refused(api: FakeApi) -> None:
    assert api.run("lab", "degrade", "h1").err == "Give --rate, --delay or --loss.\n"


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
    monkeypatch.setattr("ringscope.cli.commands.lab.is_ready", lambda url: True)
    api.answers["GET /nodes"] = items(node("h2", labels={"lab": MACHINE}), node("h3", labels={}), node("h9"))
    done = api.run("lab", "up", "--hosts", "4")
    assert done.err == "--prefix: the server has a living node h3 already; choose another prefix.\n"


def test_where_the_kernel_lacks_netem_a_lab_with_a_delay_is_refused_before_anything_is_made(
    api: FakeApi, without_netem: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ringscope.cli.commands.lab.is_ready", lambda url: True)
    api.answers["GET /nodes"] = items()
    done = api.run("lab", "up", "--delay", "50us", "--data-dir", str(tmp_path / "data"))
    assert (done.code, done.out, done.err) == (2, "", NO_NETEM)
    assert {*without_netem.read_text().splitlines()} == {
        "ip netns list",
        "unshare --net tc qdisc replace dev lo root netem delay 1us",
    }
    assert not (tmp_path / "data" / "lab").exists()


def test_where_the_kernel_lacks_netem_a_host_that_is_to_be_delayed_stays_as_it_is(
    api: FakeApi, without_netem: Path, lab_file: Path
) -> None:
    before = lab_file.read_text()
    done = api.run("lab", "degrade", "h1", "--delay", "5ms", "--loss", "1%", "--data-dir", str(lab_file.parents[1]))
    assert (done.code, done.out, done.err) == (2, "", NO_NETEM)
    assert lab_file.read_text() == before
    assert [line.split()[0] for line in without_netem.read_text().splitlines()] == ["unshare"]


def test_a_link_that_tc_does_not_shape_is_not_told_as_shaped(api: FakeApi, without_netem: Path, lab_file: Path) -> None:
    before = lab_file.read_text()
    assert api.run("lab", "degrade", "h1", "--rate", "10mbit", "--data-dir", str(lab_file.parents[1])).code == 2
    assert lab_file.read_text() == before


def test_racks_are_as_even_as_can_be() -> None:
    layout = Layout("x-", "10.0.0", hosts=5, link=Link(1_000_000), racks=2)
    assert [layout.rack_name(number) for number in range(5)] == ["rack1"] * 3 + ["rack2"] * 2
    assert layout.addresses[:2] == ("10.0.0.1", "10.0.0.2")


def test_each_data_directory_has_names_of_its_own(tmp_path: Path) -> None:
    assert Lab(tmp_path / "a").prefix != Lab(tmp_path / "b").prefix
    assert Lab(tmp_path / "a").prefix == Lab(tmp_path / "b" / ".." / "a").prefix


def test_the_agents_of_a_lab_take_the_variables_and_scripts_that_its_operator_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Sequence[str]] = []

    def start(host: Any, enter: Any, hosts_file: Path, words: Sequence[str], variables: Any, threads: int) -> int:
        started.append(words)
        return 1

    monkeypatch.setattr(module, "start_agent", start)
    (tmp_path / "lab").mkdir()
    named = ["default", "NCCL_NET_PLUGIN"]
    wanted = WantedLab(hosts=1, rate_bit_per_s=10**9, server="http://a:1", allow_env=named, scripts=tmp_path)
    lab = Lab(tmp_path)
    lab._save(LabState(wanted=wanted, subnet="10.77.1"))
    lab.start_agent("h1")
    (words,) = started
    given = [words[place + 1] for place, word in enumerate(words) if word == "--allow-env"]
    assert given == named
    assert words[words.index("--scripts") + 1] == str(tmp_path)


@pytest.mark.parametrize(("hosts", "slots", "own", "given"), [(2, 2, None, "2"), (4, 3, None, "1"), (4, 3, "5", "5")])
def test_the_hosts_of_a_lab_share_the_cores_unless_a_number_of_threads_is_named(
    hosts: int, slots: int, own: str | None, given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environments: list[Mapping[str, str]] = []
    monkeypatch.setattr(background, "start", lambda command, log, environment: environments.append(environment) or 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(8)))
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if own:
        monkeypatch.setenv("OMP_NUM_THREADS", own)
    (tmp_path / "lab").mkdir()
    lab = Lab(tmp_path)
    wanted = WantedLab(hosts=hosts, slots=slots, rate_bit_per_s=10**9, server="http://a:1")
    lab._save(LabState(wanted=wanted, subnet="10.77.1"))
    lab.start_agent("h1")
    assert [environment["OMP_NUM_THREADS"] for environment in environments] == [given]
