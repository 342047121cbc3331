"""A job list as it is after months: rows put straight into the database, as nobody can run so many in a test."""

import sqlite3
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
