"""Write a command line as a person would type it for `ringscope`. Pure."""

import shlex
from collections.abc import Mapping


def typed(program: str, variables: Mapping[str, object]) -> str:
    """Write the program for a POSIX shell, after its environment variables: RINGSCOPE_DATA_DIR=/srv/rs ringscope."""
    return " ".join([*(f"{name}={shlex.quote(str(value))}" for name, value in variables.items()), shlex.quote(program)])
