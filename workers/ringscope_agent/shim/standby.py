"""The process that has loaded PyTorch for the next ranks of an elastic job; a child of the shim that starts them."""

import os
import secrets
import subprocess
import sys
from dataclasses import dataclass

from ringscope.contracts.rank_process import PLACEHOLDER_VARIABLE, THREADS_VARIABLE
from ringscope_agent import process_group
from ringscope_agent.launch.launcher import inherited_environment

TOKEN_LENGTH = 32  # each attempt has a token of this length


@dataclass(frozen=True)
class Standby:
    """The process, and the name of its socket."""

    pid: int
    name: str


def start(threads: str) -> Standby:
    """Start the process; it dies with this shim. Raises OSError."""
    name = f"ringscope-standby-{secrets.token_hex(16)}"
    environment = inherited_environment(os.environ) | {
        process_group.HOME_VARIABLE: os.environ.get(process_group.HOME_VARIABLE, ""),
        PLACEHOLDER_VARIABLE: "-" * TOKEN_LENGTH,
        THREADS_VARIABLE: threads,
        "PYTHONUNBUFFERED": "1",
    }
    process = subprocess.Popen(
        (sys.executable, "-m", "ringscope.rank.standby", name),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=environment,
        cwd="/",
        start_new_session=True,
        preexec_fn=process_group.dies_with(os.getpid()),
    )
    process_group.manage(process.pid)
    return Standby(process.pid, name)
