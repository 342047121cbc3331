"""PyTorch's Flight Recorder in a script's rank: its settings, and a dump when the rank's launcher asks for one.

The recorder keeps the last collectives in memory. With nccl a timeout writes them to a file; with gloo nothing does, so
a thread of the rank writes them on request. The request is a file beside the answers, because a rank that hangs in a
library runs no handler of Python.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import MutableMapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_C10D = "torch.distributed.distributed_c10d"
ENTRIES = "2000"
REQUEST = "dump.request"
_FIRST_WITH_NAMES = (2, 9)  # it warns of the names of earlier versions, which do not know its own
_OTHER_NAMES = {
    "TORCH_FR_BUFFER_SIZE": "TORCH_NCCL_TRACE_BUFFER_SIZE",
    "TORCH_NCCL_TRACE_BUFFER_SIZE": "TORCH_FR_BUFFER_SIZE",
    "TORCH_FR_DUMP_TEMP_FILE": "TORCH_NCCL_DEBUG_INFO_TEMP_FILE",
    "TORCH_NCCL_DEBUG_INFO_TEMP_FILE": "TORCH_FR_DUMP_TEMP_FILE",
}
NOTHING = ".none"  # ends the name of the answer of a rank that has no recorder


def set_up(environment: MutableMapping[str, str], folder: str | None) -> None:
    """Set the recorder's variables that nobody has set; dumps go to the folder."""
    is_new = _version() >= _FIRST_WITH_NAMES
    wanted = {"TORCH_FR_BUFFER_SIZE" if is_new else "TORCH_NCCL_TRACE_BUFFER_SIZE": ENTRIES}
    if folder:
        prefix = str(Path(folder) / "dump_")  # PyTorch adds the rank
        wanted["TORCH_NCCL_DUMP_ON_TIMEOUT"] = "1"
        wanted["TORCH_FR_DUMP_TEMP_FILE" if is_new else "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"] = prefix
    taken = [name for name in environment if name in _OTHER_NAMES]
    for name, value in wanted.items():
        if _OTHER_NAMES.get(name) not in taken:
            environment.setdefault(name, value)


def _version() -> tuple[int, ...]:
    """Return the version of the PyTorch that is installed, such as (2, 13); the newest if there is none."""
    try:
        return tuple(int(part) for part in version("torch").split(".")[:2])
    except (PackageNotFoundError, ValueError):
        return _FIRST_WITH_NAMES


def dump_of(folder: Path, rank: int) -> Path:
    """Return the file to which a rank writes its dump."""
    return folder / f"dump_{rank}"


class Dumper:
    """Writes this rank's dump once it is asked for; without a folder it never is."""

    def __init__(self, folder: str | None, rank: int) -> None:
        self._folder, self._rank, self._is_done = Path(folder) if folder else None, rank, False

    def look(self) -> None:
        """Answer a request that is new; the script does not notice an error."""
        if self._folder is None or self._is_done or not (self._folder / REQUEST).exists():
            return
        self._is_done = True
        with contextlib.suppress(Exception):
            self._answer(self._folder)

    def _answer(self, folder: Path) -> None:
        path = dump_of(folder, self._rank)
        content = self._content()
        starting = path.with_suffix(".new")
        starting.write_bytes(content)
        starting.rename(path if content else path.with_suffix(NOTHING))

    def _content(self) -> bytes:
        module = sys.modules.get(_C10D)
        if module is None or not module.is_initialized():
            return b""
        library = sys.modules.get("torch._C._distributed_c10d")
        names = ["_dump_fr_trace"]
        if "nccl" in str(module.get_backend()):
            names.insert(0, "_dump_nccl_trace")
        dump = next((found for name in names if (found := getattr(library, name, None))), None)
        content = dump() if dump is not None else b""
        return content if isinstance(content, bytes) else b""
