"""What this machine is like for ranks: measured once for each hardware and choice of cores, while nothing else runs."""

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from ringscope.contracts.machine import Machine
from ringscope.engine.cores import hardware, own_place
from ringscope.rank.load import LoadMeter

_TIMEOUT_SECONDS = 20.0
_MOST_OTHER_SHARE = 0.1  # of all processors; the clock of the load's ticks cannot tell much less of half a second


def known_machine(*, may_measure: bool = True) -> Machine:
    """From the user's cache, else by half a second of measuring in a process of its own.

    What was measured beside other load is not kept, so that the next start measures again. Where that fails, or ranks
    run that it would disturb, the machine to which the model's parameters were fitted, with the cores that there are.
    """
    here = hardware()
    path = _path(here)
    unmeasured = Machine(hardware=here, cores=own_place().at_once)
    with suppress(OSError, ValueError):
        known = Machine.model_validate_json(path.read_bytes())
        if known.hardware == here:
            return known
    if not may_measure:
        return unmeasured
    meter = LoadMeter()
    try:
        command = [sys.executable, "-m", "ringscope.engine.probe"]
        told = subprocess.run(command, capture_output=True, timeout=_TIMEOUT_SECONDS, check=True, text=True).stdout
        machine = Machine.model_validate_json(told)
    except (OSError, subprocess.SubprocessError, ValueError):
        return unmeasured
    if _is_quiet(meter):
        with suppress(OSError):
            _write(path, machine)
    return machine


def _is_quiet(meter: LoadMeter) -> bool:
    """Whether hardly anything else ran meanwhile; true also where the system does not tell."""
    load = meter.read()
    if load is None:
        return True
    return load.busy_seconds - load.own_seconds <= _MOST_OTHER_SHARE * load.seconds * load.processors


def _path(here: str) -> Path:
    """For this hardware, which names the cores: two agents may share a home and not have the same ones."""
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.path.expanduser(home), "ringscope", f"machine-{sha256(here.encode()).hexdigest()[:12]}.json")  # noqa: PTH111  # which raises without a home


def _write(path: Path, machine: Machine) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=path.name, delete=False) as file:
        file.write(machine.model_dump_json())
    Path(file.name).replace(path)
