"""A RAS report of either form. Pure."""

from ringscope.imports.lines import NotTextError, decode
from ringscope.nccl_ras.as_json import BrokenError, read_json
from ringscope.nccl_ras.as_text import is_report, read_text
from ringscope.nccl_ras.model import Report


class RefusedError(ValueError):
    """The file is no report; the message is the rest of a sentence that begins with the path."""


def sniff(text: str) -> bool:
    """Return whether a text has a report, as text or JSON."""
    if text.lstrip().startswith("{"):
        return '"communicators"' in text and ('"nccl_version"' in text or '"ras"' in text)
    return is_report(text)


def read(content: bytes) -> Report:
    """Return a report; RefusedError says in one sentence why there is none."""
    try:
        text = decode(content)
    except NotTextError as error:
        raise RefusedError(str(error)) from None
    if text.lstrip().startswith("{"):
        try:
            return read_json(text)
        except BrokenError as error:
            raise RefusedError(f"{error}; give the whole answer of RAS, or its text form.") from None
    if not is_report(text):
        raise RefusedError("there is no report of RAS here; give what `ncclras -v` printed, as text or JSON.")
    report = read_text(text)
    if not report.communicators and not report.rows:
        raise RefusedError("the report has no communicator; it may be cut, or the job had none yet.")
    return report
