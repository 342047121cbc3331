"""Choose the server that a command connects to, and the token that it sends."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from ringscope.cli.console import DEFAULT_DATA_DIR, command_name
from ringscope.client import Client
from ringscope.contracts.errors import UserError
from ringscope.contracts.words.command_line import typed
from ringscope.contracts.words.units import is_whole_number

PORT_VARIABLE = "RINGSCOPE_PORT"
DEFAULT_URL = "http://127.0.0.1:8000"

Url = Annotated[
    str | None,
    typer.Option(
        "--url",
        envvar="RINGSCOPE_URL",
        help="The server; default: the one that runs on the data directory, else "
        f"{DEFAULT_URL} (RINGSCOPE_PORT sets its port).",
        show_default=False,
    ),
]


def connect(url: str | None, data_dir: Path) -> Client:
    """Return a client for the given server, else for the one on the data directory."""
    client = Client(server_url(url, data_dir), token(data_dir.expanduser()))
    if url is None:
        client.page_url = public_url(data_dir.expanduser()) or client.url
    return client


def as_typed(sentence: str, url: str | None = None, data_dir: Path | None = None) -> str:
    """Rewrite the commands in a sentence so that they run here: with the path of the program, and this command's flags.

    Options from the environment also apply to the next command.
    """
    flags = {"RINGSCOPE_DATA_DIR": data_dir and str(data_dir), "RINGSCOPE_URL": url}
    usual = {"RINGSCOPE_DATA_DIR": str(DEFAULT_DATA_DIR)} | os.environ
    said = {name: value for name, value in flags.items() if value and value != usual.get(name)}
    return sentence.replace("`ringscope ", f"`{typed(command_name(), said)} ")


def server_url(url: str | None, data_dir: Path) -> str:
    """Return the given server, else the one on the data directory."""
    return url or served_url(data_dir.expanduser()) or usual_url()


def usual_url() -> str:
    """Return the default URL of a local server that has not written its address into the data directory.

    The server and `ringscope up` take their port from the same variable.
    """
    port = os.environ.get(PORT_VARIABLE, "").strip()
    return f"http://127.0.0.1:{port}" if is_whole_number(port) and port != "0" else DEFAULT_URL


def served_url(data_dir: Path, pid: int | None = None) -> str | None:
    """Return the URL that the server on this directory stored (with ``pid``: only if that process stored it)."""
    try:
        facts = json.loads((data_dir / "server.json").read_text())
        return str(facts["url"]) if pid in (None, facts["pid"]) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def public_url(data_dir: Path) -> str | None:
    """Return the URL under which people reach the server on this directory, if it was configured."""
    try:
        return str(json.loads((data_dir / "server.json").read_text())["public_url"]) or None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def token(data_dir: Path) -> str:
    """Return the personal token: RINGSCOPE_TOKEN, else the one that the server stored in its data directory."""
    from_environment = os.environ.get("RINGSCOPE_TOKEN", "").strip()
    if from_environment:
        return from_environment
    path = data_dir / "admin-token"
    try:
        return path.read_text().strip()
    except OSError as error:
        raise UserError(
            f"No token: RINGSCOPE_TOKEN is not set and {path} cannot be read ({error.strerror}); "
            "start a server with `ringscope up`, or set RINGSCOPE_TOKEN."
        ) from error
