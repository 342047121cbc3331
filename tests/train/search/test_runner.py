"""A search on ranks that are threads: its runs in turns, and the next attempt after one that was killed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks

from ringscope.contracts.record import Steps
from ringscope.contracts.search.record import SearchBegin, SearchPlan, SearchRun, SearchTarget, SearchTold
from ringscope.contracts.search.spec import StrategySearchSpec
from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.training.record import Epoch
from ringscope.search.candidates import Candidate, Candidates, LeftOut, Situation, candidates
from ringscope.search.verdict import Verdict
from ringscope.train.search.run_file import RunFile
from ringscope.train.search.runner import Runner

NAMES = ["mirrored-ring", "parameter_server-sync", "torch_ddp"]
STEP_US = {"mirrored": 1000.0, "parameter_server": 4000.0, "torch_ddp": 1500.0}
STARTED = np.zeros(1)
SPEC = StrategySearchSpec(strategies=NAMES)


class KilledError(Exception):
    """Stands for a rank that is killed."""


def trained(comm: Any, spec: TrainingSpec, emit: Any, began: list[str], killed_at: int | None) -> None:
    """Report steps as the candidate would make them; the server of a parameter server makes none."""
    if comm.rank == 0:
        began.append(spec.strategy)
    if len(began) - 1 == killed_at:
        raise KilledError
    if spec.strategy == "parameter_server" and comm.rank == comm.size - 1:
        return
    if spec.max_steps is None:
        report_epochs(comm, spec, emit)
        return
    for step in range(spec.max_steps):
        slow = 9.0 if step < 3 else 1 + 0.001 * (step % 3)  # the first steps are not timed
        step_us = STEP_US[spec.strategy] * slow * (1 + 0.01 * len(began) / 30)
        exposed_us = step_us * (0.4 if spec.strategy == "torch_ddp" else 0.1)
        emit(steps_of(comm.rank, step, step_us, exposed_us))


def report_epochs(comm: Any, spec: TrainingSpec, emit: Any) -> None:
    """Report epochs of a second each on rank 0; the accuracy grows with them."""
    for number in range(1, spec.epochs + 1 if comm.rank == 0 else 0):
        columns = {"epoch": number, "step": number, "training_loss": 1.0, "validation_loss": 1.0, "samples": 64}
        times = {"duration_us": 1e6, "validation_us": 1.0, "checkpoint_us": 0.0, "time_ns": 1}
        emit(Epoch.model_validate({"rank": 0, "validation_accuracy": 0.1 * min(number, 9)} | columns | times))


def steps_of(rank: int, step: int, step_us: float, exposed_us: float) -> Steps:
    fields = {"rank": rank, "first_step": step, "op": "all_reduce", "algorithm": "ring", "transport": "virtual"}
    columns = {
        "start_ns": [step],
        "duration_us": [step_us],
        "communication_us": [exposed_us],
        "exposed_us": [exposed_us],
    }
    more = {"in_place": True, "bytes": 1 << 20, "bus_factor": 1.0, "compute_us": [step_us - exposed_us], "loss": [1.0]}
    return Steps.model_validate(fields | columns | more)


def searched(
    tmp_path: Path,
    killed_at: int | None = None,
    told: list[SearchTold] | None = None,
    spec: StrategySearchSpec = SPEC,
    algorithms: Any = None,
) -> tuple[list[Verdict], list[str]]:
    began: list[str] = []
    report = (lambda record: None) if told is None else told.append

    def program(comm: Any) -> Verdict:
        chosen = candidates(spec, Situation(comm.size)).chosen
        found = Candidates(chosen, [LeftOut("pipeline", "Too few layers.")])
        file = RunFile(tmp_path if comm.rank == 0 else None)

        def train(comm: Any, spec: TrainingSpec, emit: Any) -> None:
            comm.total(STARTED)  # all ranks begin a run together
            trained(comm, spec, emit, began, killed_at)

        return Runner(comm, spec, found, file, train, report, algorithms=algorithms).run()

    return on_ranks(3, program, VirtualCommunicator), began


def test_the_candidates_run_in_turns_and_all_ranks_agree_on_the_verdict(tmp_path: Path) -> None:
    (first, *others), began = searched(tmp_path)
    assert first.winner == "mirrored-ring" and all(other == first for other in others)
    assert began[:6] == ["mirrored", "parameter_server", "torch_ddp", "torch_ddp", "parameter_server", "mirrored"]
    lines = {line.name: line for line in first.candidates}
    assert lines["mirrored-ring"].samples_per_second == pytest.approx(64_000, rel=0.02)  # warm-up is not in it
    assert lines["parameter_server-sync"].step_us == pytest.approx(4000, rel=0.02)  # of its workers
    assert lines["torch_ddp"].exposed_us == pytest.approx(600, rel=0.02)
    assert (lines["torch_ddp"].peak_bytes or 0) > 1 << 20  # of this process
    assert "torch_ddp waits 40% of a step for sums and mirrored-ring 10%" in first.sentence
    assert first.candidates[-1].state == "left_out"


def test_a_killed_rank_costs_its_run_and_the_next_attempt_goes_on(tmp_path: Path) -> None:
    with pytest.raises(KilledError):
        searched(tmp_path, killed_at=4)
    known = RunFile(tmp_path).read()
    assert [run.failure for run in known] == ["", "", "", "", "KilledError"]
    told: list[SearchTold] = []
    (first, *_), began = searched(tmp_path, told=told)
    assert (
        isinstance(told[0], SearchPlan)
        and told[1:6] == known
        and told[6] == SearchBegin(rank=0, candidate="parameter_server-sync", round=1)
    )
    assert began[0] == "parameter_server"  # the run that was killed, and none of those before it
    assert first.winner == "mirrored-ring" and {line.state for line in first.candidates[:3]} == {"winner", "slower"}


def test_the_first_run_is_a_short_trial_and_later_runs_of_slow_steps_are_short_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for strategy, step_us in STEP_US.items():
        monkeypatch.setitem(STEP_US, strategy, 90 * step_us)
    told: list[SearchTold] = []
    searched(tmp_path, told=told)
    steps: dict[str, list[int]] = {}
    for each in told:
        if isinstance(each, SearchRun):
            steps.setdefault(each.candidate, []).append(each.steps)
            assert len(each.blocks_us) == 1
            assert each.is_trial == (each.round == 0)
    assert {name: lengths[:2] for name, lengths in steps.items()} == {
        "mirrored-ring": [6, 17],
        "parameter_server-sync": [6, 9],
        "torch_ddp": [6, 11],
    }


def test_steps_that_try_algorithms_are_not_timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Trying:
        def begin(self, candidate: Candidate) -> int:
            return 32 if candidate.name == "mirrored-ring" else 0

        def end(self) -> None:
            pass

    for strategy, step_us in STEP_US.items():
        monkeypatch.setitem(STEP_US, strategy, 90 * step_us)
    told: list[SearchTold] = []
    searched(tmp_path, told=told, algorithms=Trying())
    steps = {each.candidate: each.steps for each in told if isinstance(each, SearchRun) and each.round == 1}
    assert steps == {"mirrored-ring": 32 + 13, "parameter_server-sync": 9, "torch_ddp": 11}


def test_a_torn_line_is_left_out(tmp_path: Path) -> None:
    file = RunFile(tmp_path)
    file.note_begin(SearchBegin(rank=0, candidate="torch_ddp", round=0))
    with (tmp_path / "search-runs.jsonl").open("a") as text:
        text.write('{"candidate": "torch_ddp", "rou')
    (run,) = file.read()
    assert run.candidate == "torch_ddp" and run.failure


def test_those_that_are_left_train_to_the_target_for_more_epochs_until_it_is_reached(tmp_path: Path) -> None:
    told: list[SearchTold] = []
    spec = SPEC.model_copy(update={"target_accuracy": 0.7})
    (first, *others), _ = searched(tmp_path, told=told, spec=spec)
    targets = [each for each in told if isinstance(each, SearchTarget)]
    assert [(each.candidate, each.epochs, each.epochs_to_target) for each in targets] == [
        ("mirrored-ring", 4, None),
        ("mirrored-ring", 16, 7),
    ]
    assert targets[1].seconds_to_target == pytest.approx(7.0) and first.winner == "mirrored-ring"
    assert first.sentence.startswith(
        "mirrored-ring reaches the accuracy of 70.0% first, after 7 s of steps and 7 epochs"
    )
    assert all(other == first for other in others)
    assert RunFile(tmp_path).read()[-1] == targets[1]
