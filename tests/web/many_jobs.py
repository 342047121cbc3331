"""Jobs that never ran: rows that are written into the database for tests that need many, or other ones."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

STATES = ("succeeded", "succeeded", "succeeded", "failed", "cancelled")


def add_jobs(data_dir: Path, count: int) -> None:
    """Copies of job 1, with all that was measured, under other names and in other states."""
    with sqlite3.connect(data_dir / "ringscope.sqlite3", timeout=30) as database:
        columns = [
            row[1] for row in database.execute("PRAGMA table_info(jobs)") if row[1] not in ("id", "name", "state")
        ]
        listed = ", ".join(f'"{column}"' for column in columns)
        database.executemany(
            f"INSERT INTO jobs (name, state, {listed}) SELECT ?, ?, {listed} FROM jobs WHERE id = 1",
            [(f"copy {number}", STATES[number % len(STATES)]) for number in range(count)],
        )
    database.close()


def add_twin(data_dir: Path, name: str, disturbed_by: str | None = None) -> int:
    """Job 1 with its attempt and rows under another name, as if it had been measured again: messages from 4 KiB on
    took thrice as long, others hardly longer. With ``disturbed_by`` its numbers are marked.
    """
    with closing(sqlite3.connect(data_dir / "ringscope.sqlite3", timeout=30)) as database, database:
        (attempt_id,) = database.execute("SELECT max(id) FROM attempts WHERE job_id = 1").fetchone()
        job_id = _copy(database, "jobs", "id = 1", name=name)
        twin_id = _copy(
            database, "attempts", f"id = {attempt_id}", job_id=job_id, token=f"of {name}", disturbed_by=disturbed_by
        )
        of_attempt = f"attempt_id = {attempt_id}"
        _copy(database, "members", of_attempt, attempt_id=twin_id)
        _copy(database, "measurements", of_attempt, job_id=job_id, attempt_id=twin_id)
        for factor, sizes in ((1.01, "size_bytes < 4096"), (3, "size_bytes >= 4096")):
            times = ", ".join(f"{name} = {name} * {factor}" for name in ("time_us", "mean_us", "p50_us"))
            rates = ", ".join(f"{name} = {name} / {factor}" for name in ("algbw_gb_per_s", "busbw_gb_per_s"))
            database.execute(f"UPDATE measurements SET {times}, {rates} WHERE attempt_id = ? AND {sizes}", (twin_id,))
            of_twin = (
                f"SELECT id, rounds_us FROM measurements WHERE attempt_id = ? AND {sizes} AND rounds_us IS NOT NULL"
            )
            for row_id, rounds_us in database.execute(of_twin, (twin_id,)).fetchall():
                slower = json.dumps(
                    [factor * time_us for time_us in json.loads(rounds_us)]
                )  # rows of today have rounds
                database.execute("UPDATE measurements SET rounds_us = ? WHERE id = ?", (slower, row_id))
    return job_id


def _copy(database: sqlite3.Connection, table: str, which: str, **others: object) -> int:
    """Rows of a table again, with other values in some columns; the number of the last one."""
    columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})") if row[1] not in ("id", *others)]
    listed = ", ".join(f'"{column}"' for column in columns)
    made = database.execute(
        f"INSERT INTO {table} ({', '.join(others)}, {listed}) SELECT {', '.join('?' * len(others))}, {listed}"
        f" FROM {table} WHERE {which}",
        tuple(others.values()),
    )
    assert made.lastrowid is not None
    return made.lastrowid
