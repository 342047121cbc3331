"""The collectives that a script called, as a table."""

from ringscope.cli.console import say, stdout_console
from ringscope.cli.formatting import table
from ringscope.client import CalledCollectives
from ringscope.client.views.training import CalledCollective
from ringscope.contracts.words.units import format_duration, format_size

_HEADINGS = ("COLLECTIVE", "SIZE", "CALLS", "BYTES", "TIME", "ALGBW")


def print_collectives(found: CalledCollectives) -> None:
    """Print a row for each collective and class of sizes; nothing if the script called none."""
    if not found.items:
        return
    say("Collectives of a rank; the sizes between two powers of two are one row with their mean:")
    stdout_console().print(table(_HEADINGS, map(_row, found.items)))


def _row(line: CalledCollective) -> tuple[object, ...]:
    return (
        line.collective,
        format_size(line.mean_bytes) if line.least_bytes else "",
        line.calls,
        format_size(line.bytes) if line.bytes else "",
        "not known" if line.time_us is None else format_duration(line.time_us / 1e6),
        "" if line.algbw_gb_per_s is None else f"{line.algbw_gb_per_s:.3g} GB/s",
    )
