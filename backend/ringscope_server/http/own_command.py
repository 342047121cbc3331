"""The `ringscope` command on this server's own machine that has this server's token."""

import os
import sys
from pathlib import Path

from starlette.requests import Request

from ringscope.contracts.words.command_line import typed
from ringscope_server.http.origin import is_here
from ringscope_server.settings import Settings


def own_command(request: Request, settings: Settings) -> str | None:
    """Return the path of the program beside this Python, and the data directory if it is not the default one.

    Return None if the browser is, or may be, on another machine, and if there is no such program.
    """
    program = Path(sys.executable).with_name("ringscope")
    if not is_here(request) or not os.access(program, os.X_OK):
        return None
    usual: Path = Settings.model_fields["data_dir"].default
    data_dir = settings.data_path.absolute()
    return typed(str(program), {} if data_dir == usual.expanduser() else {"RINGSCOPE_DATA_DIR": data_dir})
