"""The scaling curve of `ringscope plan --up-to`: times of each algorithm with 2, 4, 8 … ranks."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from rich.table import Table

from ringscope.cli.console import say, say_json, stdout_console
from ringscope.contracts.words.devices import SIMULATED
from ringscope.contracts.words.units import format_duration, format_size
from ringscope.cost.prices import Price


def rank_counts(most: int) -> list[int]:
    """Return the powers of two from 2 on that are below ``most``, and ``most``."""
    return [1 << power for power in range(1, most.bit_length()) if 1 << power < most] + [most]


def show_scaling(
    curve: Sequence[tuple[int, Sequence[Price]]], collective: str, size_bytes: int, typed: str, as_json: bool
) -> None:
    """Print a row for each algorithm with its time for each number of ranks, or the same prices as JSON.

    ``typed`` is the size as the user gave it, whose units the heading keeps.
    """
    if as_json:
        points = [{"ranks": ranks, "results": [asdict(price) for price in found]} for ranks, found in curve]
        facts = {"basis": SIMULATED, "collective": collective, "size_bytes": size_bytes}
        say_json(json.dumps(facts | {"scaling": points}, indent=2))
        return
    amount = f"{size_bytes:,} bytes ({format_size(size_bytes, typed)})"
    say(f"{SIMULATED.upper()}: time of {collective} of {amount} by ranks")
    table = Table(box=None, pad_edge=False)
    table.add_column("ALGORITHM", no_wrap=True)
    for ranks, _ in curve:
        table.add_column(str(ranks), justify="right")
    times = [{price.algorithm: price for price in found} for _, found in curve]
    for name in dict.fromkeys(name for column in times for name in column):
        table.add_row(name, *(_time(column.get(name)) for column in times))
    stdout_console().print(table)
    if any(price.is_bound for _, found in curve for price in found):
        say("≤: upper bound: the times at which messages share links were not followed.")
    if any(name not in column for column in times for name in times[0]):
        say("-: too many messages to price one by one.")


def _time(price: Price | None) -> str:
    if price is None:
        return "-"
    return f"{'≤ ' if price.is_bound else ''}{format_duration(price.time_s)}"
