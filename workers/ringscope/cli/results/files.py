"""Files with results, and the facts that the command line states of them."""

import sys
from pathlib import Path

from ringscope.contracts.errors import UserError
from ringscope.contracts.words.collectives import COLLECTIVES
from ringscope.expected.facts import gpu_class, parse_cards
from ringscope.imports.judged import Given
from ringscope.imports.lines import MOST_BYTES

STDIN = "-"


def given_facts(
    gpu: str | None, nodes: int | None, collective: str | None, cards: str | None, ranks: int | None
) -> Given:
    """Return the facts that options state; UserError for a GPU, collective or cards that are not known."""
    if gpu is not None and gpu_class(gpu) is None:
        raise UserError(f"--gpu: {gpu!r} is no known GPU; write for example H100 or MI300X.")
    if collective is not None and collective not in COLLECTIVES:
        raise UserError(f"--collective: {collective!r} is none; choose among {', '.join(COLLECTIVES)}.")
    try:
        return Given(gpu, nodes, collective, None if cards is None else parse_cards(cards), ranks)
    except ValueError as error:
        raise UserError(f"--cards: {error}") from None


def content_of(path: str) -> bytes:
    """Return a file, or one byte more than the limit of a larger one."""
    if path == STDIN:
        return sys.stdin.buffer.read(MOST_BYTES + 1)
    try:
        with Path(path).open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UserError(f"{path}: it cannot be read ({error.strerror}); name a file with results.") from None


def name_of(path: str) -> str:
    """Return the name under which others see a file."""
    return "standard input" if path == STDIN else Path(path).name
