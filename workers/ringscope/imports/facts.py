"""Facts in the lines around a table: devices, versions, networks, variables, crashes. Pure."""

import re

from ringscope.imports.model import Device, Machine
from ringscope.imports.redaction import redacted, telling

_DEVICE = re.compile(
    r"Rank\s{1,6}([0-9]{1,7})\s{1,6}(?:Group\s{1,6}([0-9]{1,7})\s{1,6})?(?:Pid\s{1,10}[0-9]{1,10}\s{1,6})?on\s{1,64}"
    r"(\S{1,255})\s{1,6}device\s{1,6}[0-9]{1,4}\s{1,6}(?:\[[^\]]{0,40}\]\s{0,6})?(\S.{0,200})?"
)
_RANKS = re.compile(r"\bn[rR]anks ([0-9]{1,7})\b")
_NODES = re.compile(r"\bnNodes ([0-9]{1,6})\b")
_NCCL = re.compile(r"\b(NCCL|RCCL) version ?:? ?([0-9]{1,4}(?:\.[0-9]{1,4}){1,3})")
_TOOL = re.compile(r"nccl-tests(?: version|: Version)\s{1,4}(\S{1,60})")
_LIBRARY = re.compile(r"nccl-library=([0-9]{4,6})")
_SET = re.compile(r"\b((?:NCCL|RCCL)_[A-Z0-9_]{1,60}) set (?:by environment )?to (\S{1,200})")
_ASSIGNED = re.compile(r"\b((?:NCCL|RCCL)_[A-Z0-9_]{1,60})=([^\s\"\']{1,200})")
_NETWORK = re.compile(r"Using network (.{1,60})")
_VIA = re.compile(r"via (NET/[A-Za-z ]{1,30})/")
_CRASHES = (
    "Test CUDA failure", "Test NCCL failure", "Test RCCL failure", "Test hip failure", "Test failure", "Test timeout",
    "Segmentation fault", "Bus error", "core dumped", "unhandled cuda error", "unhandled system error", "CUDA error",
    "BAD TERMINATION", "terminated by signal", "exited on signal", "exited with exit code", "non-zero exit",
    "MPI_ABORT was invoked", "Out Of Memory", "out of memory", "oom-kill", "srun: error:", "DUE TO TIME LIMIT",
)  # fmt: skip
_MOST_QUOTED = 160


def device_in(line: str) -> Device | None:
    """Return the rank that a line of the device list names."""
    if "Rank" not in line or "device" not in line:
        return None
    found = _DEVICE.search(line)
    if found is None:
        return None
    return Device(int(found[1]), int(found[2] or 0), found[3], (found[4] or "").strip())


def crash_in(line: str) -> str | None:
    """Return the line, redacted, if it tells that a process failed."""
    for mark in _CRASHES:  # any() with a generator takes three times as long, for each line of a log
        if mark in line:
            return quoted(line)
    return None


def quoted(line: str) -> str:
    """Return a line for a sentence: redacted, in one piece, not too long."""
    text = " ".join(redacted(line[:2000]).split())
    return text if len(text) <= _MOST_QUOTED else text[: _MOST_QUOTED - 3] + "..."


def learn(machine: Machine, line: str) -> None:
    """Add what NCCL's own lines and the program's first lines say."""
    if "CCL version" in line and (found := _NCCL.search(line)):
        machine.versions[found[1].lower()] = found[2]
    if "-tests" in line and (found := _TOOL.search(line)):
        machine.versions["nccl-tests"] = found[1]
        if library := _LIBRARY.search(line):
            machine.versions.setdefault("nccl", _version(library[1]))
    if "set " in line and (found := _SET.search(line)):
        machine.environment.update(telling([f"{found[1]}={found[2].rstrip('.')}"]))
    if "CCL_" in line and "=" in line:
        machine.environment.update(telling(f"{name}={value}" for name, value in _ASSIGNED.findall(line)))
    if "NCCL INFO" not in line and "nranks" not in line:
        return
    if "Using network" in line and (found := _NETWORK.search(line)):
        _add(machine.networks, found[1].strip())
    if "via NET/" in line and (found := _VIA.search(line)):
        _add(machine.networks, found[1].removeprefix("NET/"))
        machine.crosses_network = True
    if "anks " in line and (found := _RANKS.search(line)):
        machine.info_ranks = int(found[1])
    if "nNodes" in line and (found := _NODES.search(line)):
        machine.info_nodes = int(found[1])
    if "NVLS" in line:
        if "NVLS multicast support is not available" in line or "NVLS multicast support is not" in line:
            machine.nvls = False
        elif "NVLS multicast support is available" in line or "NVLS comm" in line:
            machine.nvls = machine.nvls is not False


def _add(names: list[str], name: str) -> None:
    if name not in names and len(names) < 8:
        names.append(name)


def _version(number: str) -> str:
    """Return NCCL's number as its version: 22902 is 2.29.2."""
    value = int(number)
    major, rest = divmod(value, 10_000) if value >= 10_000 else divmod(value, 1_000)
    return f"{major}.{rest // 100}.{rest % 100}"
