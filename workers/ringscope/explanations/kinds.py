"""The kinds of other programs' files, told by what is in them. The import, the page and the server ask here. Pure."""

from typing import Literal, get_args

from ringscope.hangs import dumps
from ringscope.imports import files
from ringscope.imports.files import Reading
from ringscope.imports.lines import NotTextError, decode
from ringscope.nccl_inspector import reading as inspector
from ringscope.nccl_inspector.runs import reading_of
from ringscope.nccl_log import reading as nccl_log
from ringscope.nccl_ras import reading as nccl_ras

Kind = Literal["flight_recorder", "nccl_log", "nccl_inspector", "nccl_ras", "result"]
KINDS: tuple[Kind, ...] = get_args(Kind)
NAMES: dict[Kind, str] = {
    "flight_recorder": "a dump of PyTorch's Flight Recorder",
    "nccl_log": "a log of NCCL_DEBUG=INFO",
    "nccl_inspector": "records of NCCL Inspector",
    "nccl_ras": "a report of NCCL's RAS",
    "result": f"a result of {files.KNOWN}",
}
COMMANDS: dict[Kind, str] = {
    "flight_recorder": "hang",
    "nccl_log": "nccl-log",
    "nccl_inspector": "nccl-inspector",
    "nccl_ras": "nccl-ras",
    "result": "import",
}
UNKNOWN = (
    "this is no file that can be explained here; give a Flight Recorder dump, a log of NCCL_DEBUG=INFO, records of "
    f"NCCL Inspector, a report of NCCL's RAS, or a result of {files.KNOWN}, as the program wrote it."
)


def kinds_of(content: bytes) -> tuple[Kind, ...]:
    """Return what a file is; a log of nccl-tests may also have NCCL's own lines. Empty for a file that is not known."""
    if dumps.sniff(content):
        return ("flight_recorder",)
    try:
        text = decode(content)
    except NotTextError:
        return ()
    if inspector.sniff(text):
        return ("nccl_inspector",)
    if nccl_ras.sniff(text):
        return ("nccl_ras",)
    if files.sniff(text):
        return ("result", "nccl_log") if nccl_log.has_paths(text) else ("result",)
    return ("nccl_log",) if nccl_log.sniff(text) else ()


def read_result(content: bytes) -> Reading:
    """Return the runs of a file; the refusal of one that is something else says what, and which command explains it.

    Records of NCCL Inspector become runs, too.
    """
    if kinds_of(content) == ("nccl_inspector",):
        return reading_of(inspector.read([content]))
    reading = files.read_file(content)
    if reading.runs or not content.strip():
        return reading
    others = [kind for kind in kinds_of(content) if kind != "result"]
    if not others:
        return reading
    return Reading(
        refused=f"Line 1: this is {NAMES[others[0]]}, not a result; `ringscope {COMMANDS[others[0]]}` explains it, and "
        "so does the page Diagnose."
    )
