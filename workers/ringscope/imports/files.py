"""A file, read by the first format that it has, every run checked. Pure."""

from dataclasses import dataclass, field

from ringscope.imports import nccl_json, nccl_text, osu, own_rows, rccl_records, superbench
from ringscope.imports.checks import check
from ringscope.imports.lines import NotTextError, decode
from ringscope.imports.model import Format, Run

# The most special first: the text of nccl-tests is also found inside other files.
FORMATS: tuple[Format, ...] = (superbench, nccl_json, own_rows, rccl_records, osu, nccl_text)
KNOWN = "nccl-tests, rccl-tests, OSU, SuperBench or Ringscope"


@dataclass
class Reading:
    """The runs of a file; ``refused`` is a sentence if none of it can be used."""

    runs: list[Run] = field(default_factory=list)
    refused: str | None = None

    @property
    def is_clean(self) -> bool:
        """Return whether everything was read, complete and without a flag."""
        return self.refused is None and all(
            not (run.refused or run.partial or run.failed or any(row.flags for row in run.rows)) for run in self.runs
        )


def sniff(text: str) -> bool:
    """Return whether a text has a result of any format."""
    return any(format_.sniff(text) for format_ in FORMATS)


def read_file(content: bytes) -> Reading:
    """Return every run of a file; nothing in a file raises an error."""
    try:
        text = decode(content)
    except NotTextError as error:
        return Reading(refused=str(error))
    if not text.strip():
        return Reading(refused="Line 1: the file is empty; give the text that the tool printed.")
    for format_ in FORMATS:
        if format_.sniff(text):
            runs = [check(run) for run in format_.read(text)]
            if runs:
                refusals = [run.refused for run in runs]
                return Reading(runs, refusals[0] if all(refusals) else None)
    return Reading(refused=f"Line 1: there is no result of {KNOWN} here; give the whole text that the tool printed.")
