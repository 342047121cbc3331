"""``python -m ringscope_server.downgrade``: the way back to an earlier version's tables."""

import asyncio
from pathlib import Path

import pytest

from ringscope_server import downgrade
from ringscope_server.db import schema
from ringscope_server.db.engine import Database
from ringscope_server.db.lock import lock_data_dir
from ringscope_server.db.sqlite import sqlite_url


def version_in(data_dir: Path, *, upgrade: bool = False) -> str | None:
    async def ask() -> str | None:
        database = Database(sqlite_url(data_dir))
        try:
            if upgrade:
                await schema.upgrade(database.engine)
            return await schema.version(database.engine)
        finally:
            await database.dispose()

    return asyncio.run(ask())


def test_it_brings_the_tables_back_and_a_server_brings_them_up_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    newest, earlier = schema.versions()[-1], schema.versions()[-2]
    assert version_in(tmp_path, upgrade=True) == newest
    assert downgrade.main([earlier, "--data-dir", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert told.endswith(f"the tables of version {newest} are now those of version {earlier}.\n")
    assert version_in(tmp_path) == earlier
    assert downgrade.main([newest, "--data-dir", str(tmp_path)]) == 2
    assert "a server upgrades when it starts" in capsys.readouterr().err
    assert version_in(tmp_path, upgrade=True) == newest


@pytest.mark.parametrize(
    ("wanted", "sentence"), [("9999", "'9999' is no version of the tables"), ("0001", "has tables of version none")]
)
def test_without_a_way_back_nothing_is_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wanted: str, sentence: str
) -> None:
    assert downgrade.main([wanted, "--data-dir", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert sentence in told and told.count("\n") == 1


def test_a_server_that_runs_keeps_its_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    newest = version_in(tmp_path, upgrade=True)
    with lock_data_dir(tmp_path):
        assert downgrade.main([schema.versions()[-2], "--data-dir", str(tmp_path)]) == 2
    assert "already uses the data directory" in capsys.readouterr().err
    assert version_in(tmp_path) == newest
