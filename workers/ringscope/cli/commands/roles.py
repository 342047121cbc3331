"""`ringscope server` and `ringscope agent`: replace this process with that role's."""

import os
import sys
from typing import NoReturn

import typer

_PASS_THROUGH = {"allow_extra_args": True, "ignore_unknown_options": True}


def register(app: typer.Typer) -> None:
    """Add the commands to the app; their flags, also --help, are passed to the role's process."""
    for role in (server, agent):
        app.command(context_settings=_PASS_THROUGH, add_help_option=False)(role)


def server(context: typer.Context) -> NoReturn:
    """Run the server (API, scheduler, web page) in this process."""
    _become("ringscope_server", context.args)


def agent(context: typer.Context) -> NoReturn:
    """Run a node's agent in this process."""
    _become("ringscope_agent", context.args)


def _become(module: str, arguments: list[str]) -> NoReturn:
    # exec instead of import: the library must not depend on server or agent, and signals reach the role directly
    os.execv(sys.executable, [sys.executable, "-m", module, *arguments])
