"""`ringscope login`: a fresh login link for a browser."""

import typer

from ringscope.cli.connection import Url, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, DataDir, say


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command()(login)


def login(url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Print a fresh link that logs a browser in once."""
    with connect(url, data_dir) as client:
        say(client.login_link().url)
