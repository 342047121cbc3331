"""Speed of this machine for ranks: measured once for each hardware and set of cores, while the machine is idle."""

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from ringscope.choice.tuning_file import default_path, read
from ringscope.contracts.tuning import Table
from ringscope.contracts.words.machine import Machine
from ringscope.engine.cores import hardware, is_same_processor, own_cores
from ringscope.rank.load import MOST_OTHER_SHARE, LoadMeter

_FILES = "machine-*.json"
_TIMEOUT_SECONDS = 20.0


def known_machine(*, may_measure: bool = True) -> Machine:
    """Read the machine's speed from the user's cache, or measure it for half a second in a process of its own.

    A measurement under other load is not cached, so that the next start measures again. If ``may_measure`` is false,
    because ranks would be disturbed, the result is the measurement on other cores of this processor. If all of that
    fails, it is the machine to which the model's parameters were fitted, with this machine's cores.
    """
    here = hardware()
    path = _path(here)
    unmeasured = Machine(hardware=here, cores=own_cores().at_once)
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
    # the resolution of its ticks allows no shorter measurement than half a second
    if meter.other_share() <= MOST_OTHER_SHARE:
        with suppress(OSError):
            _write(path, machine)
    return machine


def table_here() -> Table:
    """Read the tuning file's table, with this machine's speed instead of another's; a bound rank sees only some cores.

    UserError if the file cannot be parsed.
    """
    table = read(default_path())
    if table.machine is not None and is_same_processor(table.machine.hardware, hardware()):
        return table
    return table.on(known_machine(may_measure=False))


def _on_other_cores(folder: Path, unmeasured: Machine) -> Machine:
    """Return the measurement on the largest set of cores, with the cores that this process has."""
    every = [known for file in folder.glob(_FILES) if (known := _read(file)) is not None]
    alike = [known for known in every if is_same_processor(known.hardware, unmeasured.hardware)]
    most = max(alike, key=lambda known: known.cores or 0, default=unmeasured)
    return most.model_copy(update={"hardware": unmeasured.hardware, "cores": unmeasured.cores})


def _read(path: Path) -> Machine | None:
    with suppress(OSError, ValueError):
        return Machine.model_validate_json(path.read_bytes())
    return None


def _path(here: str) -> Path:
    """Return the cache file for this hardware, including its cores: two agents may share a home but not the cores."""
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.path.expanduser(home), "ringscope", _FILES.replace("*", sha256(here.encode()).hexdigest()[:12]))  # noqa: PTH111  # which raises without a home


def _write(path: Path, machine: Machine) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=path.name, delete=False) as file:
        file.write(machine.model_dump_json())
    Path(file.name).replace(path)
