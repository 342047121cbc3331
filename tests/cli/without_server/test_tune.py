"""`ringscope tune` without ranks: what it shows, and what it refuses."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.bench.test_nccl_tests import row
from tests.cli.conftest import assert_refused, clean_environment, run_ringscope

from ringscope.choice.tuning_file import path_in, read, write
from ringscope.cli.commands import bench
from ringscope.cli.commands import tune as tune_command
from ringscope.cli.processes import stack
from ringscope.contracts.protocol import Load
from ringscope.contracts.tuning import Table, table_of
from ringscope.contracts.words.machine import Machine
from ringscope.engine.cores import RankCores
from ringscope.rank.load import LoadMeter
from ringscope.rank.local import Run


def tune(data_dir: Path, *arguments: str):
    return run_ringscope("tune", *arguments, environment=clean_environment(RINGSCOPE_DATA_DIR=str(data_dir)))


def test_show_prints_what_auto_would_take(tmp_path: Path) -> None:
    write(path_in(tmp_path), table_of([row("ring", 9.0, 8), row("direct", 4.0, 8), row("mpi", 5.0, 8)], [2, 2]))
    done = tune(tmp_path, "--show")
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = [line for line in done.stdout.splitlines() if "8 B" in line]
    assert line.split()[:8] == ["all_reduce", "native", "2x2", "shared_memory", "out", "of", "place", "8"]
    assert "direct" in line.split()
    assert "measured: direct 4 us, mpi 5 us at 8 B (medians)." in line
    assert done.stdout.splitlines()[-1] == f"{tmp_path / 'tuning.json'} holds 3 times."


def test_json_is_the_table_itself(tmp_path: Path) -> None:
    table = table_of([row("ring", 9.0, 8), row("mpi", 5.0, 8)], [4])
    write(path_in(tmp_path), table)
    assert Table.model_validate(json.loads(tune(tmp_path, "--show", "--json").stdout)) == table


def test_nothing_is_known_at_first(tmp_path: Path) -> None:
    assert tune(tmp_path, "--show").stdout == f"{tmp_path / 'tuning.json'} has no measurements yet.\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--ranks", "two"), "--ranks: 'two' is not numbers; write for example 2,4."),
        (("--ranks", "0"), "placement.ranks: 0 is too small; give 1 or more."),
        (("--collective", "scan"), "benchmark.collective: unknown collective 'scan'; choose one of all_reduce, "),
        (("--transport", "pigeon"), "benchmark.transport: unknown transport 'pigeon'; choose one of auto, "),
        (("-e", "lots"), "-e: 'lots' is not a size; "),
    ],
)
def test_bad_input_is_refused_in_a_sentence(tmp_path: Path, arguments: tuple[str, ...], sentence: str) -> None:
    assert_refused(tune(tmp_path, *arguments), sentence)


@pytest.mark.parametrize(
    ("cores", "most", "numbers", "slots"), [(8, None, [2, 4, 8], 8), (8, 5, [2, 4], 5), (1, None, [2], 1)]
)
def test_without_a_number_ranks_have_a_core_each(
    monkeypatch: pytest.MonkeyPatch, cores: int, most: int | None, numbers: list[int], slots: int
) -> None:
    """Physical ones, and no more than the quota of the control group; slots are as many."""
    place = RankCores("", "", frozenset(range(cores)), most)
    for module in (stack, tune_command):
        monkeypatch.setattr(module, "own_cores", lambda: place)
    assert tune_command._numbers(None) == numbers
    assert stack.default_slots() == slots


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> dict[int, float]:
    """Return other processes' share of four processors by number of measured ranks; no rank is started."""
    shares, ranks = {2: 0.0}, [2]

    def told(job: Any, run: Run, _: Path | None = None) -> Iterator[Any]:
        ranks[0] = job.placement.ranks
        run.take(row("ring", 9.0, 8, ranks=ranks[0]))
        run.exit_code = 0
        yield from run.measurements

    def load(_: LoadMeter) -> Load:
        return Load(machine="", processors=4, seconds=1, busy_seconds=2 + 4 * shares[ranks[0]], own_seconds=2)

    monkeypatch.setattr(bench, "run_local", told)
    monkeypatch.setattr(bench, "known_machine", Machine)
    monkeypatch.setattr(LoadMeter, "read", load)
    return shares


def test_times_beside_other_load_are_not_kept_and_it_is_said(tmp_path: Path, others: dict[int, float]) -> None:
    others |= {2: 0.05, 4: 0.5}
    done = tune(tmp_path, "--ranks", "2,4")
    assert done.returncode == 1
    assert done.stderr == (
        "Other load used 50 % of the processors while all_reduce of 4 ranks was measured, so these times are not "
        "kept; run it again on an idle machine, or with --keep.\n"
    )
    assert [curve.shape for curve in read(path_in(tmp_path)).curves] == ["1x2"], "what was quiet is kept"


def test_who_wants_them_keeps_them_all_the_same(tmp_path: Path, others: dict[int, float]) -> None:
    others[2] = 0.5
    done = tune(tmp_path, "--ranks", "2", "--keep")
    assert (done.returncode, done.stderr) == (0, "")
    assert read(path_in(tmp_path)).row_count == 1
