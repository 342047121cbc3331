"""A server starts on the database of an earlier version, shows all of its jobs, and goes on from there."""

import re
import sqlite3
from pathlib import Path

import pytest
from fastapi.routing import iter_route_contexts
from tests.server.conftest import ONE_SIZE, Clock, running_server

from ringscope_server.db import schema
from ringscope_server.db.engine import Database
from ringscope_server.db.sqlite import sqlite_url

DUMPS = {path.stem: path.read_text() for path in (Path(__file__).parent / "databases").glob("*.sql")}


@pytest.mark.parametrize(("version", "dump"), sorted(DUMPS.items()), ids=sorted(DUMPS))
async def test_an_older_database_is_shown_whole_and_goes_on(
    version: str, dump: str, tmp_path: Path, clock: Clock
) -> None:
    file = tmp_path / "ringscope.sqlite3"
    with sqlite3.connect(file) as connection:
        connection.executescript(dump)
        states = dict(connection.execute("select id, state from jobs").fetchall())
        measurements = connection.execute("select count(*) from measurements").fetchone()[0]
    connection.close()
    async with running_server(tmp_path, clock) as server:
        assert await schema.version(server.services.database.engine) == schema.newest_version()
        listed = [job for page in await server.pages("/jobs") for job in page]
        assert {job["id"]: job["state"] for job in listed} == states
        await server.one_pass()
        paths = [one.path or "" for one in iter_route_contexts(server.api.routes) if "GET" in (one.methods or ())]
        for_a_job = [path for path in paths if re.findall(r"{(\w+)}", path) == ["job_id"] and "stream" not in path]
        assert len(for_a_job) > 10
        for path in (one.replace("{job_id}", str(job_id)) for one in for_a_job for job_id in states):
            answer = await server.admin.get(path)
            assert answer.status_code < 500, (path, answer.text)
        rows = [row for one in states for page in await server.pages(f"/jobs/{one}/measurements") for row in page]
        assert len(rows) == measurements
        await server.node("n9")
        assert (await server.submit(**ONE_SIZE))["id"] == max(states) + 1

    database = Database(sqlite_url(tmp_path))
    await schema.downgrade(database.engine, version)
    await database.dispose()
    with sqlite3.connect(file) as connection:
        assert dict(connection.execute(f"select id, state from jobs where id <= {max(states)}").fetchall()) == states
    connection.close()
