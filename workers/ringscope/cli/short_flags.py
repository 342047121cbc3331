"""Letters of nccl-tests on our command lines: their meaning here, and messages for unsupported ones."""

from collections.abc import Sequence
from typing import Any

import typer

from ringscope.contracts.errors import UserError
from ringscope.contracts.words.units import parse_size

# Letter, its value that changes nothing (None: there is none), and the remedy.
_ELSEWHERE: dict[str, tuple[str | None, str]] = {
    "-t": ("1", "ranks are processes here, not threads; give --ranks."),
    "-g": ("1", "ranks are processes here, each with a GPU at most; give --ranks."),
    "-p": ("0", "ranks are processes, which always connect in parallel; leave it out."),
    "-C": ("0", "an operation ends when its result is there, so there is no separate CPU time; leave it out."),
    "-D": ("0", "NCCL's device kernels are not launched; leave it out."),
    "-V": (None, "the number of CTAs belongs to NCCL_MIN_CTAS and NCCL_MAX_CTAS; set those."),
    "-x": (None, "the CTA policy belongs to NCCL_CTA_POLICY; set that."),
    "-M": ("0", "memory is not reported; leave it out."),
    "-u": ("0", "buffers begin at aligned addresses; leave it out."),
    "-y": ("0", "the default stream is never used; leave it out."),
}

# nccl-tests' long names, which its own scripts use, of letters with the same meaning here.
_LONG_NAMES = {
    "minbytes": "-b", "maxbytes": "-e", "stepbytes": "-i", "stepfactor": "-f", "iters": "-n", "agg_iters": "-m",
    "warmup_iters": "-w", "run_cycles": "-N", "check": "-c", "op": "-o", "datatype": "-d", "root": "-r",
    "blocking": "-z", "average": "-a", "nthreads": "-t", "ngpus": "-g",
    "parallel_init": "-p", "cudagraph": "-G", "report_cputime": "-C",
    "local_register": "-R", "device_implementation": "-D", "device_cta_count": "-V", "cta_policy": "-x", "memory": "-M",
    "unalign": "-u", "stream_null": "-y", "report_timestamps": "-S", "output_file": "-J",
}  # fmt: skip


class LetterCommand(typer.core.TyperCommand):
    """A command that handles the letters of nccl-tests that it does not support."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Remove them, or raise an error with the remedy."""
        return super().parse_args(ctx, without_foreign(with_letters(args)))


def with_letters(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with nccl-tests' long names replaced by its letters; a value may follow an equals sign."""
    found: list[str] = []
    for argument in arguments:
        name, equals, value = argument.partition("=")
        letter = _LONG_NAMES.get(name[2:].replace("-", "_")) if name.startswith("--") else None
        found += [argument] if letter is None else [letter, value] if equals else [letter]
    return found


def without_foreign(arguments: Sequence[str]) -> list[str]:
    """Drop the letters that change nothing here; UserError for letters that request an unsupported feature."""
    kept: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        letter, attached = argument[:2], argument[2:]
        if letter not in _ELSEWHERE:
            kept.append(argument)
            continue
        usual, sentence = _ELSEWHERE[letter]
        if (attached or next(rest, None)) != usual:
            raise UserError(f"{letter}: {sentence}")
    return kept


def size(flag: str, text: str | None) -> int | None:
    """Parse a size in bytes; UserError names the flag."""
    try:
        return parse_size(text) if text is not None else None
    except ValueError as error:
        raise UserError(f"{flag}: {error}") from error
