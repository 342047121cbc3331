"""A command without `--server` calls the server that the data directory names, else the usual port of this machine."""

from pathlib import Path

import pytest

from ringscope.cli.connection import DEFAULT_URL, server_url


@pytest.mark.parametrize(
    ("port", "wanted"),
    [("18000", "http://127.0.0.1:18000"), ("", DEFAULT_URL), ("0", DEFAULT_URL), ("eight", DEFAULT_URL)],
)
def test_the_port_that_a_server_would_take_is_where_a_command_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: str, wanted: str
) -> None:
    monkeypatch.setenv("RINGSCOPE_PORT", port)
    assert server_url(None, tmp_path) == wanted
    assert server_url("http://example.net", tmp_path) == "http://example.net"
    (tmp_path / "server.json").write_text('{"url": "http://127.0.0.1:9", "pid": 1}')
    assert server_url(None, tmp_path) == "http://127.0.0.1:9", "what the server itself wrote down comes first"
