"""`ringscope login`: a fresh login link for a browser."""

from typing import Annotated

import typer

from ringscope.cli.connection import Url, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, DataDir, say


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command()(login)


def login(
    next_path: Annotated[str, typer.Option("--next", help="The page that the link opens: /jobs/7.")] = "/",
    role: Annotated[str | None, typer.Option(help="viewer, operator or admin; default: the token's role.")] = None,
    hours: Annotated[
        float | None,
        typer.Option(help="Hours that the browser stays logged in, at most 168; default: the longest allowed time."),
    ] = None,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Print a fresh link that logs a browser in once."""
    with connect(url, data_dir) as client:
        say(client.login_link(next_path, role, hours).url)
