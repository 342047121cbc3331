"""A server starts on the database of an earlier version, shows all of its jobs, and goes on from there."""

import json
import re
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import iter_route_contexts
from tests.server.conftest import ONE_SIZE, Clock, running_server

from ringscope_server.db import schema
from ringscope_server.db.engine import Database
from ringscope_server.db.sqlite import sqlite_url

DUMPS = {path.stem: path.read_text() for path in (Path(__file__).parent / "databases").glob("*.sql")}


def rows_of(connection: sqlite3.Connection, table: str) -> dict[int, dict[str, Any]]:
    """The rows by id."""
    found = connection.execute(f"select * from {table}")
    names = [column[0] for column in found.description]
    return {row[0]: dict(zip(names, row, strict=True)) for row in found.fetchall()}


def differences(stored: Any, shown: Any, path: str = "") -> list[str]:
    """The fields that both have and that a route shows otherwise than they were stored."""
    if isinstance(shown, dict):
        stored = json.loads(stored) if isinstance(stored, str) else stored
        fields = (stored or {}).keys() & shown.keys()
        return [one for name in fields for one in differences(stored[name], shown[name], f"{path}.{name}")]
    if isinstance(shown, list):
        stored = json.loads(stored) if isinstance(stored, str) else stored
        if isinstance(stored, int):  # a node's slots
            return differences(stored, len(shown), path)
        if len(stored) != len(shown):
            return [f"{path}: {len(stored)} {len(shown)}"]
        return [one for pair in zip(stored, shown, strict=True) for one in differences(*pair, path)]
    if isinstance(shown, str) and shown.endswith("Z") and isinstance(stored, str):
        stored, shown = datetime.fromisoformat(stored).replace(tzinfo=UTC), datetime.fromisoformat(shown)
    return [] if stored == shown else [f"{path}: {stored!r} {shown!r}"]


@pytest.mark.parametrize(("version", "dump"), sorted(DUMPS.items()), ids=sorted(DUMPS))
async def test_an_older_database_is_shown_whole_and_goes_on(
    version: str, dump: str, tmp_path: Path, clock: Clock
) -> None:
    file = tmp_path / "ringscope.sqlite3"
    with sqlite3.connect(file) as connection:
        connection.executescript(dump)
        jobs, measurements = rows_of(connection, "jobs"), rows_of(connection, "measurements")
        attempts, nodes = rows_of(connection, "attempts"), rows_of(connection, "nodes")
        states = {number: job["state"] for number, job in jobs.items()}
    connection.close()
    async with running_server(tmp_path, clock) as server:
        assert await schema.version(server.services.database.engine) == schema.newest_version()
        listed = {job["id"]: job for page in await server.pages("/jobs") for job in page}
        assert {number: job["state"] for number, job in listed.items()} == states
        for number, job in jobs.items():
            assert differences(job, listed[number]) == []
            assert differences(job, one := await server.job(number)) == []
            assert differences([row for row in attempts.values() if row["job_id"] == number], one["attempts"]) == []
        shown = {node["name"]: node for page in await server.pages("/nodes") for node in page}
        assert shown.keys() == {node["name"] for node in nodes.values()}
        assert [one for node in nodes.values() for one in differences(node, shown[node["name"]])] == []
        await server.one_pass()
        paths = [one.path or "" for one in iter_route_contexts(server.api.routes) if "GET" in (one.methods or ())]
        for_a_job = [path for path in paths if re.findall(r"{(\w+)}", path) == ["job_id"] and "stream" not in path]
        assert len(for_a_job) > 10
        for path in (one.replace("{job_id}", str(job_id)) for one in for_a_job for job_id in states):
            answer = await server.admin.get(path)
            assert answer.status_code < 500, (path, answer.text)
        rows = [row for one in states for page in await server.pages(f"/jobs/{one}/measurements") for row in page]
        assert differences(list(measurements.values()), rows) == []
        assert len(measurements[1].keys() & rows[0].keys()) > 20
        await server.node("n9")
        assert (await server.submit(**ONE_SIZE))["id"] == max(states) + 1

    database = Database(sqlite_url(tmp_path))
    await schema.downgrade(database.engine, version)
    await database.dispose()
    with sqlite3.connect(file) as connection:
        assert dict(connection.execute(f"select id, state from jobs where id <= {max(states)}").fetchall()) == states
    connection.close()
