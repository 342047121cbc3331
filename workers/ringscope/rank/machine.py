"""What this machine is like for ranks: measured once for each hardware and choice of cores, while nothing else runs."""

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from ringscope.choice.tuning_file import default_path, read
from ringscope.contracts.machine import Machine
from ringscope.contracts.tuning import Table
from ringscope.engine.cores import hardware, is_same_processor, own_place
from ringscope.rank.load import MOST_OTHER_SHARE, LoadMeter

_FILES = "machine-*.json"
_TIMEOUT_SECONDS = 20.0


def known_machine(*, may_measure: bool = True) -> Machine:
    """From the user's cache, else by half a second of measuring in a process of its own.

    What was measured beside other load is not kept, so that the next start measures again. Where ranks run that it
    would disturb, what was measured on other cores of this processor. Where that fails, the machine to which the
    model's parameters were fitted, with the cores that there are.
    """
    here = hardware()
    path = _path(here)
    unmeasured = Machine(hardware=here, cores=own_place().at_once)
    known = _read(path)
    if known is not None and known.hardware == here:
        return known
    if not may_measure:
        return _on_other_cores(path.parent, unmeasured)
    meter = LoadMeter()
    try:
        command = [sys.executable, "-m", "ringscope.engine.probe"]
        told = subprocess.run(command, capture_output=True, timeout=_TIMEOUT_SECONDS, check=True, text=True).stdout
        machine = Machine.model_validate_json(told)
    except (OSError, subprocess.SubprocessError, ValueError):
        return unmeasured
    if meter.other_share() <= MOST_OTHER_SHARE:  # the clock of its ticks cannot tell much less of half a second
        with suppress(OSError):
            _write(path, machine)
    return machine


def table_here() -> Table:
    """What is measured in the tuning file, with this machine and no other one, which a bound rank knows only in part.

    UserError when the file cannot be understood.
    """
    table = read(default_path())
    if table.machine is not None and is_same_processor(table.machine.hardware, hardware()):
        return table
    return table.on(known_machine(may_measure=False))


def _on_other_cores(folder: Path, unmeasured: Machine) -> Machine:
    """As measured on the most of them, but with the cores that there are here."""
    every = [known for file in folder.glob(_FILES) if (known := _read(file)) is not None]
    alike = [known for known in every if is_same_processor(known.hardware, unmeasured.hardware)]
    most = max(alike, key=lambda known: known.cores or 0, default=unmeasured)
    return most.model_copy(update={"hardware": unmeasured.hardware, "cores": unmeasured.cores})


def _read(path: Path) -> Machine | None:
    with suppress(OSError, ValueError):
        return Machine.model_validate_json(path.read_bytes())
    return None


def _path(here: str) -> Path:
    """For this hardware, which names the cores: two agents may share a home and not have the same ones."""
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.path.expanduser(home), "ringscope", _FILES.replace("*", sha256(here.encode()).hexdigest()[:12]))  # noqa: PTH111  # which raises without a home


def _write(path: Path, machine: Machine) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=path.name, delete=False) as file:
        file.write(machine.model_dump_json())
    Path(file.name).replace(path)
