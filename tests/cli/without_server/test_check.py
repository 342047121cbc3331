"""`ringscope check --here`: the baseline, the four exit codes, JSON, JUnit and bad input."""

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from tests.cli.fake_api import Done, FakeApi

from ringscope.cli.checks import here
from ringscope.rank.check.all_reduce import Reduced
from ringscope.rank.check.memory import Copied

Check = Callable[..., Done]


class Machine:
    """A machine with given rates in GB/s."""

    memory = 10.0
    all_reduce = 2.0
    wrong = 0
    failure = ""
    other_share = 0.0

    def measure(self, seconds: float) -> here.Measured:
        count = 40 if seconds >= 1 else 3
        copies = [self.memory * (1 + number % 5 / 500) for number in range(count)]
        rows = [self.all_reduce * (1 + number % 5 / 500) for number in range(count)]
        return here.Measured(Copied(copies, 0, 2), Reduced(rows, self.wrong, 2, self.failure))


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Machine:
    found = Machine()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(here, "measure", found.measure)
    monkeypatch.setattr(here, "card_rates", lambda: {"eth0": 25.0})
    monkeypatch.setattr(here.LoadMeter, "other_share", lambda _: found.other_share)
    return found


@pytest.fixture
def check(api: FakeApi, machine: Machine) -> Check:
    def run(*arguments: str) -> Done:
        return api.run("check", "--here", *arguments)

    assert run("--baseline").code == 0
    return run


def test_without_a_baseline_nothing_is_fine(api: FakeApi, machine: Machine, tmp_path: Path) -> None:
    done = api.run("check", "--here")
    assert done.code == 3
    assert "could not judge. There is no baseline of this machine in" in done.out and "--baseline" in done.out
    machine.wrong = 5
    assert api.run("check", "--here").code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_machine_as_its_baseline_is_fine(check: Check) -> None:
    done = check()
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0].endswith(": fine.")
    assert "memory bandwidth: 10.06 to 10.08 GB/s, where the baseline has 10.06 to 10.08: fine." in done.out


def test_a_loss_of_a_tenth_is_low(check: Check, machine: Machine) -> None:
    machine.memory = 9.0
    done = check()
    assert done.code == 1
    assert "low. memory bandwidth: 9.0" in done.out.splitlines()[0] and "90% of it" in done.out


def test_a_loss_beside_other_programs_could_not_be_judged(check: Check, machine: Machine) -> None:
    machine.memory, machine.other_share = 9.0, 0.4
    done = check()
    assert done.code == 3 and "Other programs may be the cause" in done.out
    machine.all_reduce = 1.8
    both = check()
    for said in (done.out, both.out):
        assert said.count("40%") == said.count("Other programs used") == 1, said
    assert both.out.splitlines()[-1] == "Other programs used 40% of the processors meanwhile."


def test_a_wrong_element_is_2_and_failed_ranks_are_3(check: Check, machine: Machine) -> None:
    machine.wrong = 7
    assert (done := check()).code == 2 and "all-reduce: 7 elements are wrong." in done.out
    machine.wrong, machine.failure = 0, "Rank 1: it has no memory.\nMore."
    assert (done := check()).code == 3 and "the ranks failed: Rank 1: it has no memory." in done.out


def test_a_card_with_a_slower_link_is_low(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(here, "card_rates", lambda: {"eth0": 10.0})
    assert (done := check()).code == 1 and "eth0: the link has 10 Gbit/s, where the baseline has 25: low." in done.out


def test_a_baseline_of_other_hardware_judges_nothing(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(here, "hardware", lambda: "Another; cores [0], 1 at once; NumPy 1")
    assert (done := check()).code == 3 and "make a new one with --baseline" in done.out


def test_a_disturbed_baseline_is_written_only_if_asked(api: FakeApi, machine: Machine, tmp_path: Path) -> None:
    machine.other_share = 0.5
    file = tmp_path / "base.json"
    done = api.run("check", "--here", "--baseline", "--baseline-file", str(file))
    assert done.code == 3 and not file.exists()
    assert api.run("check", "--here", "--baseline", "--keep", "--baseline-file", str(file)).code == 0
    assert set(json.loads(file.read_text())["rates"]) == {"memory bandwidth", "all-reduce"}


def test_json_and_junit_have_every_finding(check: Check, machine: Machine, tmp_path: Path) -> None:
    machine.memory = 8.0
    file = tmp_path / "check.xml"
    done = check("--json", "--junit", str(file))
    found = json.loads(done.out)
    assert (done.code, found["exit_code"], found["word"]) == (1, 1, "low")
    assert [one["word"] for one in found["findings"]] == ["low", "fine", "fine"]
    (suite,) = fromstring(file.read_text())
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "0")
    machine.failure = "Rank 1: gone."
    check("--junit", str(file))
    (suite,) = fromstring(file.read_text())
    assert suite.get("errors") == "1"


def test_too_little_time_could_not_be_judged(check: Check) -> None:
    assert (done := check("--for", "2s")).code == 0
    assert (done := check("--for", "1s")).code == 3 and "--for: 1s is not within 2s and 1h" in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--nodes", "a,b"), "--here, --nodes:"),
        (("--now",), "--now: this machine is measured at once"),
        (("--keep",), "--keep: it keeps a disturbed baseline"),
        (("--for", "soon"), "--for: 'soon' is not a duration"),
        (("--junit", "/dev/null/x"), "--junit: /dev/null/x cannot be written"),
        (("--baseline-file", "/dev/null/x"), "--baseline-file: /dev/null/x cannot be read"),
        (("--baseline-file", __file__), "is no baseline; make a new one"),
        (("--there",), "--there"),
    ],
)
def test_bad_input_is_one_sentence_and_never_looks_like_a_result(
    check: Check, arguments: tuple[str, ...], words: str
) -> None:
    done = check(*arguments)
    assert done.code == 3 and words in done.err, done


def test_an_error_of_the_check_itself_is_no_low_machine(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(here, "measure", lambda _: 1 / 0)
    done = check()
    assert done.code == 3 and done.err.startswith("The check itself failed: ZeroDivisionError")


def test_a_baseline_whose_parts_differ_is_not_written(
    api: FakeApi, machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = iter((10.0, 10.0, 7.0, 10.0))

    def measure(seconds: float) -> here.Measured:
        machine.memory = next(rates)
        return machine.measure(seconds)

    monkeypatch.setattr(here, "measure", measure)
    file = tmp_path / "base.json"
    done = api.run("check", "--here", "--baseline", "--baseline-file", str(file))
    assert done.code == 3 and "is too wide for a baseline" in done.out and not file.exists()
