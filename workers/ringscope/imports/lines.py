"""A file as text in lines: encodings, colours, line ends, and a last line that may be cut. Pure."""

import json
import re

MOST_BYTES = 8 * 1024 * 1024
MOST_LINES = 500_000
_ANSI = re.compile("\x1b(?:\\[[0-9;?]{0,20}[A-Za-z]?)?")
_CONTROL = re.compile("[\x01-\x07\x0e-\x1a\x1c-\x1f]")
_SAMPLE = 65_536
_MOST_CONTROL = 0.05


class NotTextError(ValueError):
    """The file is no text; the message is a sentence."""


def decode(content: bytes) -> str:
    """Return a file's text without colours, with line ends as newlines; NotTextError for binary and for large files."""
    if len(content) > MOST_BYTES:
        size = len(content) / (1024 * 1024)
        raise NotTextError(f"The file has {size:.1f} MiB; a file may have at most 8 MiB: cut it to the tables.")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = content.decode("utf-16", errors="replace")
    else:
        text = content.decode("utf-8-sig", errors="replace")
    sample = text[:_SAMPLE]
    control = len(_CONTROL.findall(sample))
    if "\0" in text or control > _MOST_CONTROL * len(sample):
        line = text.partition("\0")[0].count("\n") + 1
        raise NotTextError(f"Line {line}: the file is binary, not a log; give the text that the tool printed.")
    if text.count("\n") > MOST_LINES:
        raise NotTextError(f"The file has more than {MOST_LINES:,} lines; cut it to the tables.")
    return _ANSI.sub("", _unwrapped(text)).replace("\r\n", "\n").replace("\r", "\n")


def _unwrapped(text: str) -> str:
    """Return the lines inside Docker's JSON log, an object with "log" for each; every other text as it is."""
    if not text.startswith('{"log":'):
        return text
    lines = []
    for line in text.split("\n"):
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            continue  # the last line may be cut
        if isinstance(told, dict) and isinstance(told.get("log"), str):
            lines.append(told["log"])
    return "".join(lines)


def complete_lines(text: str) -> tuple[list[str], str]:
    """Return the lines that have an end, and the rest, which may be cut; a text without line ends is all rest."""
    *lines, rest = text.split("\n")
    return lines, rest
