"""What this machine is like for ranks: measured once, and again where its hardware is another one."""

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from ringscope.contracts.machine import Machine
from ringscope.engine.cores import hardware, own_place

_TIMEOUT_SECONDS = 20.0


def known_machine() -> Machine:
    """From the user's cache, else by half a second of measuring in a process of its own.

    Where that fails, the machine to which the model's parameters were fitted, with the cores that there are.
    """
    path, here = _path(), hardware()
    with suppress(OSError, ValueError):
        known = Machine.model_validate_json(path.read_bytes())
        if known.hardware == here:
            return known
    try:
        command = [sys.executable, "-m", "ringscope.engine.probe"]
        told = subprocess.run(command, capture_output=True, timeout=_TIMEOUT_SECONDS, check=True, text=True).stdout
        machine = Machine.model_validate_json(told)
    except (OSError, subprocess.SubprocessError, ValueError):
        return Machine(hardware=here, cores=own_place().at_once)
    with suppress(OSError):
        _write(path, machine)
    return machine


def _path() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser() / "ringscope" / "machine.json"


def _write(path: Path, machine: Machine) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=path.name, delete=False) as file:
        file.write(machine.model_dump_json())
    Path(file.name).replace(path)
