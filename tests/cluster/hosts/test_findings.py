"""A soak's look at the tables finds what it is for: each test spoils one row of a history in which all is well."""

import shutil
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy.orm import Session
from tests.cluster.hosts.soak import findings
from tests.cluster.hosts.soak.workload import Work

from ringscope.contracts.job import JobSpec
from ringscope_server.db.models import Allocation, Attempt, Base, Event, Job, LogLine, Measurement, Member, Node, Step

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SWEEP = {"algorithms": ["ring"], "min_bytes": 8, "max_bytes": 8, "iterations": 1}
SPEC = JobSpec.model_validate({"benchmark": SWEEP, "placement": {"ranks": 1}})
MOVES = ("submitted", "starting", "running", "stopping", "succeeded")
STATES = (None, "queued", "starting", "running", "stopping", "succeeded")
STEPS = {"type": "steps", "start_ns": [0, 0]}
ROW, LINE = {"type": "measurement"}, {"type": "log"}


@pytest.fixture(scope="module")
def unspoilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a server with that history."""
    path = tmp_path_factory.mktemp("unspoilt") / "ringscope.sqlite3"
    engine = create_engine(f"sqlite:///{path}")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add_all(history())
        session.commit()
    engine.dispose()
    return path


@pytest.fixture
def data_dir(unspoilt: Path, tmp_path: Path) -> Path:
    shutil.copy(unspoilt, tmp_path)
    return tmp_path


def history() -> Iterator[Base]:
    """One job of one rank on one node, which succeeded."""
    times = {"created_at": NOW, "started_at": NOW, "finished_at": NOW}
    common = {"kind": "benchmark", "user": "admin", "priority": 50, "labels": {}, "summary": {}, "ranks": 1}
    yield Job(id=1, name="one", spec=SPEC.model_dump(mode="json"), state="succeeded", reason="completed",
              queued_at=NOW, **common, **times)  # fmt: skip
    facts = {"metrics_address": "", "inventory": {}, "versions": {}, "labels": {}, "epoch": 1}
    yield Node(id=1, name="h1", address="a", slots=1, desired="active", observed="ready", registered_at=NOW,
               last_heartbeat_at=NOW, **facts)  # fmt: skip
    yield Attempt(id=1, job_id=1, number=1, token="t", reason="completed", **times)
    yield Member(attempt_id=1, member=0, node_id=1, slots=1, first_rank=0, phase="clean", last_sequence=3)
    yield Allocation(attempt_id=1, rank=0, node_id=1, slot=0, is_active=False)
    for number, move in enumerate(MOVES):
        yield Event(time=NOW, actor="system", action=f"job.{move}", target_type="job", target_id="1",
                    before=STATES[number], after=STATES[number + 1])  # fmt: skip
    owner = {"job_id": 1, "attempt_id": 1}
    kind = {"algorithm": "ring", "transport": "mpi", "op": "sum"}
    numbers = dict.fromkeys(("duration_us", "compute_us", "communication_us", "exposed_us"), 1.0)
    measured = ("time", "min", "mean", "p50", "p95", "p99", "max", "stdev")
    rates = {"algbw_gb_per_s": 1.0, "busbw_gb_per_s": 1.0, "cv_percent": 0.0}
    for in_place in (False, True):
        yield Step(rank=0, step=int(in_place), bytes=8, started_at_ns=0, in_place=in_place, **owner, **kind, **numbers)
        yield Measurement(collective="all_reduce", in_place=in_place, cycle=0, size_bytes=8, count=2, dtype="float32",
                          ranks=1, iterations=1, wrong=0, measured_at=NOW, **owner, **kind, **rates,
                          **{f"{name}_us": 1.0 for name in measured})  # fmt: skip
    yield LogLine(node="h1", rank=0, stream="stdout", time_ns=0, text="hello", **owner)


def look(data_dir: Path, spool: findings.Spool | None = None, lossy: Collection[int] = ()) -> list[str]:
    """Return every finding."""
    with findings.tables(data_dir) as tables:
        return [
            *findings.of_jobs(tables, {1: Work(SPEC.model_dump(mode="json"))}, lossy),
            *findings.of_attempts(tables),
            *findings.of_events(tables),
            *findings.of_steps(tables, lossy),
            *findings.of_results(tables, lossy),
            *findings.of_spools(tables, {} if spool is None else {(1, "h1"): spool}),
        ]


def test_nothing_is_wrong_with_a_job_that_went_well(data_dir: Path) -> None:
    assert look(data_dir) == []


@pytest.mark.parametrize(
    ("spoil", "finding"),
    [
        ("delete from jobs", "job 1 is lost"),
        ("update jobs set state = 'running'", "job 1 is running, completed"),
        ("update jobs set state = 'failed', reason = 'results_missing'", "results_missing"),
        ("update jobs set state = 'cancelled', reason = 'user_cancelled', message = 'x'", "nobody did"),
        ("update jobs set state = 'failed', reason = 'time_limit', message = 'x'", "it had long enough"),
        ("update attempts set reason = ''", "attempt 1 of job 1 has not ended"),
        ("update members set phase = 'ended'", "member 0 of attempt 1 is ended"),
        ("update allocations set is_active = 1", "slot 0 of node 1 is held by attempt 1"),
        ("delete from events where action = 'job.stopping'", "job 1: succeeded from running"),
        ("delete from events where action = 'job.succeeded'", "its last event says stopping"),
        ("delete from steps where step = 0", "attempt 1, rank 0: steps are lost or double"),
        ("update steps set step = 0", "attempt 1, rank 0: steps are lost or double"),
        ("delete from steps where step = 1", "job 1: 2 steps of 1 ranks expected"),
        ("delete from measurements where in_place", "job 1: 1 of 2 rows"),
        ("update measurements set wrong = 1", "job 1: wrong elements"),
    ],
)
def test_what_is_wrong_is_found(data_dir: Path, spoil: str, finding: str) -> None:
    run(data_dir, spoil)
    assert any(finding in found for found in look(data_dir)), look(data_dir)


@pytest.mark.parametrize(
    ("spool", "finding"),
    [
        ([STEPS, ROW, ROW, LINE], "4 records were spooled, 3 are stored"),
        ([STEPS, STEPS, ROW], "4 steps were told, 2 are stored"),
        ([STEPS, ROW, LINE], "1 measurement were told, 2 are stored"),
        ([STEPS, ROW, ROW], "0 log were told, 1 are stored"),
    ],
)
def test_what_was_told_and_is_not_stored_is_found(data_dir: Path, spool: findings.Spool, finding: str) -> None:
    assert any(finding in found for found in look(data_dir, spool))


@pytest.mark.parametrize(
    ("spoil", "count"),
    [
        ("delete from steps where step = 0", 0),
        ("delete from steps where step = 1", 0),
        ("update steps set step = 0", 1),
        ("update measurements set wrong = 1", 1),
    ],
)
def test_a_full_disk_may_cost_steps_and_excuses_nothing_else(data_dir: Path, spoil: str, count: int) -> None:
    run(data_dir, spoil)
    assert len(look(data_dir, lossy={1})) == count


def test_a_full_disk_may_cost_rows_of_its_own_attempts_alone(data_dir: Path) -> None:
    run(data_dir, "update jobs set state = 'failed', reason = 'results_missing', message = 'x'")
    run(data_dir, "update events set action = 'job.failed', after = 'failed' where action = 'job.succeeded'")
    assert look(data_dir, lossy={1}) == []
    assert any("results_missing" in found for found in look(data_dir, lossy={2}))


def run(data_dir: Path, statement: str) -> None:
    """Change the tables."""
    with closing(sqlite3.connect(data_dir / "ringscope.sqlite3")) as connection, connection:
        connection.execute(statement)
