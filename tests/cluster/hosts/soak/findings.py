"""The findings after a soak: each error in the tables is a sentence."""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.cluster.hosts.soak.workload import Work

from ringscope.contracts.job import JobSpec
from ringscope.contracts.record import Iterations
from ringscope.contracts.words.job_states import BY_MOVE, TERMINAL
from ringscope_server.jobs.reasons import REASONS

# What no fault of a soak may do to a job.
FORBIDDEN = {"verification_failed", "results_missing", "server_error", "oom", "queue_timeout", "preempted"}
Rows = list[sqlite3.Row]
Spool = list[dict[str, Any]]
Works = dict[int, Work]  # by job
INSIGHTS = ("job.insight_opened", "job.insight_closed")


class Tables:
    """The server's database, read without the server."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, query: str, *values: object) -> Rows:
        """The rows of a query."""
        return self._connection.execute(query, values).fetchall()


@contextmanager
def tables(data_dir: Path) -> Iterator[Tables]:
    """The tables as they are now."""
    connection = sqlite3.connect(f"file:{data_dir / 'ringscope.sqlite3'}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    try:
        yield Tables(connection)
    finally:
        connection.close()


def of_jobs(tables: Tables, works: Works, lossy: Collection[int]) -> Iterator[str]:
    """Check that every job is there and has ended for a reason that was to be expected.

    ``lossy`` are, here and below, the attempts of which a full disk has cost records.
    """
    may_lack = {row["job_id"] for row in tables.rows("select id, job_id from attempts") if row["id"] in lossy}
    jobs = {row["id"]: row for row in tables.rows("select * from jobs")}
    yield from (f"job {job_id} is lost" for job_id in works.keys() - jobs.keys())
    for job_id, work in works.items():
        job = jobs.get(job_id)
        if job is None:
            continue
        told = f"job {job_id} is {job['state']}, {job['reason']}: {job['message']}"
        is_told = job["reason"] == "results_missing" and job_id in may_lack
        if job["state"] not in TERMINAL or not (is_told or _is_sane(job["state"], job["reason"])):
            yield told
        elif job["state"] != "succeeded" and not job["message"]:
            yield f"{told} (no sentence)"
        elif job["reason"] == "user_cancelled" and not work.may_be_cancelled:
            yield f"{told} (nobody did)"
        elif job["reason"] == "time_limit" and not work.may_take_too_long:
            yield f"{told} (it had long enough)"


def _is_sane(state: str, reason: str) -> bool:
    known = {one.name: one.end for one in REASONS}
    return known.get(reason) == state and reason not in FORBIDDEN


def of_attempts(tables: Tables) -> Iterator[str]:
    """Check that every attempt has ended, is clean everywhere and holds nothing."""
    for row in tables.rows("select * from attempts where finished_at is null or coalesce(reason, '') = ''"):
        yield f"attempt {row['id']} of job {row['job_id']} has not ended: {row['reason']}"
    for row in tables.rows("select * from members where phase != 'clean'"):
        yield f"member {row['member']} of attempt {row['attempt_id']} is {row['phase']}"
    for row in tables.rows("select * from allocations where is_active"):
        yield f"slot {row['slot']} of node {row['node_id']} is held by attempt {row['attempt_id']}"
    for row in tables.rows("select * from quarantined_slots"):
        yield f"slot {row['slot']} of node {row['node_id']} is quarantined: {row['message']}"


def of_events(tables: Tables) -> Iterator[str]:
    """The events of each job are one chain of moves that are allowed, from its submission to its end."""
    chains: dict[str, Rows] = defaultdict(list)
    for event in tables.rows("select * from events where target_type = 'job' order by id"):
        if event["action"] not in INSIGHTS:
            chains[event["target_id"]].append(event)
    for job in tables.rows("select id, state from jobs"):
        state = None
        for event in chains.pop(str(job["id"]), []):
            move = event["action"].removeprefix("job.")
            if move != "submitted" and (move not in BY_MOVE or state not in BY_MOVE[move].origins):
                yield f"job {job['id']}: {move} from {state}"
            if event["before"] != state:
                yield f"job {job['id']}: {move} says it was {event['before']}, but it was {state}"
            state = event["after"]
        if state != job["state"]:
            yield f"job {job['id']} is {job['state']}, and its last event says {state}"


def of_insights(tables: Tables) -> Iterator[str]:
    """Check that each insight was opened and closed once, with an event for both."""
    for row in tables.rows("select id, job_id, kind from insights where until is null"):
        yield f"job {row['job_id']}: the insight {row['kind']} is still open"
    insights = Counter(str(row["job_id"]) for row in tables.rows("select job_id from insights"))
    for action in INSIGHTS:
        query = f"select target_id from events where action = '{action}'"
        if (told := Counter(row["target_id"] for row in tables.rows(query))) != insights:
            yield f"insights by job: {dict(insights)}, events {action}: {dict(told)}"


def of_steps(tables: Tables, lossy: Collection[int]) -> Iterator[str]:
    """Check that each rank's steps are stored once, without a gap; of lossy attempts some of them, once."""
    query = (
        "select attempt_id, rank, count(*) as stored, count(distinct step) as different, min(step) as first, "
        "max(step) as last from steps group by attempt_id, rank"
    )
    for row in tables.rows(query):
        whole = (0, row["last"] + 1) if row["attempt_id"] not in lossy else (row["first"], row["different"])
        if (row["first"], row["different"]) != whole or row["stored"] != row["different"]:
            yield f"attempt {row['attempt_id']}, rank {row['rank']}: steps are lost or double: {dict(row)}"


def of_results(tables: Tables, lossy: Collection[int]) -> Iterator[str]:
    """A job that succeeded has all of its rows, none of which is wrong, and all of its steps unless it is lossy."""
    for job in tables.rows("select * from jobs where state = 'succeeded'"):
        spec = JobSpec.model_validate(json.loads(job["spec"]))
        [attempt] = tables.rows("select max(id) as id from attempts where job_id = ?", job["id"])
        rows = tables.rows("select wrong from measurements where attempt_id = ?", attempt["id"])
        expected = spec.benchmark.measurement_count()
        if len(rows) != expected:
            yield f"job {job['id']}: {len(rows)} of {expected} rows"
        if any(row["wrong"] for row in rows):
            yield f"job {job['id']}: wrong elements"
        query = "select rank, count(*) as steps from steps where attempt_id = ? group by rank order by rank"
        found = [(row["rank"], row["steps"]) for row in tables.rows(query, attempt["id"])]
        steps = expected * spec.benchmark.iterations
        if attempt["id"] not in lossy and found != [(rank, steps) for rank in range(spec.placement.ranks)]:
            yield f"job {job['id']}: {steps} steps of {spec.placement.ranks} ranks expected, found {found}"


def of_spools(tables: Tables, spools: Mapping[tuple[int, str], Spool]) -> Iterator[str]:
    """Check that every record that a node's ranks sent is stored once."""
    query = "select m.*, n.name from members m join nodes n on n.id = m.node_id"
    members = {(row["attempt_id"], row["name"]): row for row in tables.rows(query)}
    for (attempt_id, host), spool in spools.items():
        where = f"attempt {attempt_id} on {host}"
        member = members[attempt_id, host]
        if member["last_sequence"] != len(spool):
            yield f"{where}: {len(spool)} records were spooled, {member['last_sequence']} are stored"
        told, stored = _told(spool), _stored(tables, attempt_id, member)
        for kind in ("steps", "log", "measurement") if member["member"] == 0 else ("steps", "log"):  # rows are rank 0's
            if told[kind] != stored[kind]:
                yield f"{where}: {told[kind]} {kind} were told, {stored[kind]} are stored"


def _told(spool: Spool) -> Counter[str]:
    """Count the rows, by kind, that the records of a spool make."""
    told: Counter[str] = Counter()
    for record in spool:
        match record["type"]:
            case "steps":
                told["steps"] += len(record["start_ns"])
            case "iterations":
                told["steps"] += len(Iterations.model_validate(record).duration_ns)
            case "check":
                told["log"] += 1
            case kind:
                told[kind] += 1
    return told


def _stored(tables: Tables, attempt_id: int, member: sqlite3.Row) -> dict[str, int]:
    ranks = (member["first_rank"], member["first_rank"] + member["slots"])
    queries = {
        "steps": ("select count(*) from steps where attempt_id = ? and rank >= ? and rank < ?", *ranks),
        "log": ("select count(*) from log_lines where attempt_id = ? and node = ?", member["name"]),
        "measurement": ("select count(*) from measurements where attempt_id = ?",),
    }
    return {kind: tables.rows(query, attempt_id, *more)[0][0] for kind, (query, *more) in queries.items()}
