"""Starting the server process: what stands in its way is one line and exit code 2."""

import json
import os
import resource
import socket
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest
from sqlalchemy.exc import OperationalError
from tests.postgres import Postgres

from ringscope.cli.connection import public_url
from ringscope_server.__main__ import StartError, listen, main, require_open_files, write_address
from ringscope_server.db import schema
from ringscope_server.db.lock import lock_data_dir
from ringscope_server.settings import Settings
from ringscope_server.users import token_files


def start(data_dir: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """Run the command in this process, as its imports take longer than the refusal."""
    arguments = ["--data-dir", str(data_dir), "--port", "0", *flags]
    said, told = StringIO(), StringIO()
    with patch.dict(os.environ, environment(), clear=True), redirect_stdout(said), redirect_stderr(told):
        code = main(arguments)
    return subprocess.CompletedProcess(arguments, code, said.getvalue(), told.getvalue())


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("RINGSCOPE_")}


def garbage(data_dir: Path) -> None:
    (data_dir / "ringscope.sqlite3").write_text("this is no database, whatever its name says\n" * 100)


def from_the_future(data_dir: Path) -> None:
    with sqlite3.connect(data_dir / "ringscope.sqlite3") as connection:
        connection.execute("create table alembic_version (version_num varchar(32))")
        connection.execute("insert into alembic_version values ('9999')")
    connection.close()


def a_folder(data_dir: Path) -> None:
    (data_dir / "ringscope.sqlite3").mkdir()


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (garbage, "cannot be used (file is not a database)"),
        (from_the_future, "another version"),
        (a_folder, "cannot be used (unable to open database file)"),
    ],
)
def test_a_database_that_cannot_be_used(tmp_path: Path, spoil: Callable[[Path], None], words: str) -> None:
    spoil(tmp_path)
    refused(start(tmp_path), words)


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused(start(tmp_path, "--port", str(port)), f"Cannot listen on 127.0.0.1:{port} (Address already in use)")


def test_too_few_open_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (20, 20))
    with pytest.raises(StartError, match=r"^It may open 20 files \(ulimit -n\) and needs 64; raise the limit"):
        require_open_files()


@pytest.mark.parametrize("host", ["fe80::1%lo", "::1%nothing"])
def test_an_address_that_is_not_here(host: str) -> None:
    with pytest.raises(StartError, match=r"^Cannot listen on \[.*\]:0 \(.*\); choose another address with --host\.$"):
        listen(host, 0)


def test_a_data_directory_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused(start(tmp_path / "file" / "below"), "cannot be written (Not a directory)")


FULL_DISK = (28, "No space left on device")


@pytest.mark.parametrize("name", ["server.lock", "server.json"])
def test_a_full_disk_of_the_data_directory(tmp_path: Path, name: str) -> None:
    (tmp_path / name).symlink_to("/dev/full")
    refused(start(tmp_path), f"{tmp_path} ")


def test_a_full_disk_under_the_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: Path, secret: str) -> None:
        raise OSError(*FULL_DISK)

    monkeypatch.setattr(token_files, "_write", fail)
    refused(start(tmp_path), f"The disk of the data directory {tmp_path} is full; make room on it and start again.")


def test_a_full_disk_under_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(engine: object) -> None:
        full = sqlite3.OperationalError("database or disk is full")
        full.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise OperationalError("CREATE TABLE", {}, full)

    monkeypatch.setattr(schema, "upgrade", fail)
    refused(start(tmp_path), "cannot be used: its disk is full; make room on it.")


def test_what_the_server_writes_is_its_own(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        (tmp_path / "data").mkdir(mode=0o755)
        (tmp_path / "data" / "ringscope.sqlite3").touch(mode=0o644)
        with socket.create_server(("127.0.0.1", 0)):
            refused(start(tmp_path / "data", "--join-token", "x" * 40, "--metrics-token", "x" * 40), "another token")
            refused(start(tmp_path / "new", "--join-token", "x" * 40, "--metrics-token", "x" * 40), "another token")
        assert os.umask(0o022) == 0o022, "the mask is as it was"
    finally:
        os.umask(before)
    assert mode(tmp_path / "new") == 0o700
    for folder in (tmp_path / "data", tmp_path / "new"):
        assert {mode(file) for file in folder.iterdir()} == {0o600}, sorted(folder.iterdir())


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_second_server_on_the_same_directory(tmp_path: Path) -> None:
    with lock_data_dir(tmp_path):
        refused(start(tmp_path), f"Another server (process {os.getpid()}) already uses")


@pytest.mark.parametrize("flags", [("--port", "many"), ("--port", "70000"), ("--poll-seconds", "0")])
def test_a_bad_setting(tmp_path: Path, flags: tuple[str, str]) -> None:
    refused(start(tmp_path, *flags), f"{flags[0]}: ")


def test_a_poll_that_agents_would_not_wait_for(tmp_path: Path) -> None:
    refused(
        start(tmp_path, "--poll-seconds", "5.5"),
        "--poll-seconds: agents hang up after 7 s; give 5 or less; got '5.5'.",
    )


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("postgresql://ada:secret@127.0.0.1:1/ringscope", "postgresql://127.0.0.1:1/ringscope cannot be used"),
        ("mysql://ada:secret@127.0.0.1/ringscope", "database_url: 'mysql' is not supported"),
    ],
)
def test_a_postgresql_that_cannot_be_used(tmp_path: Path, url: str, words: str) -> None:
    ended = start(tmp_path, "--database-url", url)
    refused(ended, words)
    assert "secret" not in ended.stderr


def test_a_postgresql_in_another_encoding(tmp_path: Path, postgres: Postgres) -> None:
    url = postgres.create("ascii", "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    refused(start(tmp_path, "--database-url", url), "has the encoding SQL_ASCII, and text is stored as UTF-8")
    postgres.drop("ascii")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1"),
        ("::", "http://[::1]"),
        ("127.0.0.1", "http://127.0.0.1"),
        ("10.1.2.3", "http://10.1.2.3"),
    ],
)
def test_the_url_that_is_told_can_be_asked(tmp_path: Path, host: str, url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        settings = Settings(data_dir=tmp_path, host=host, public_url="https://rings.example/")
        write_address(settings, listener)
        told = json.loads((tmp_path / "server.json").read_text())
        assert told["url"] == f"{url}:{listener.getsockname()[1]}"
        assert public_url(tmp_path) == told["public_url"] == "https://rings.example"


def refused(ended: subprocess.CompletedProcess[str], words: str) -> None:
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert words in line
