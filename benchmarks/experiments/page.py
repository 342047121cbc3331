"""The tables of docs/experiments.md: made from results/experiments.json, put between the page's markers.

``<!-- table NAME -->`` … ``<!-- end -->``; what stands outside of them is written by hand.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.command import Parser, exit_with
from benchmarks.experiments.scaling import fitted_line, ring_deviation
from benchmarks.experiments.trial import Row
from benchmarks.report import say

from ringscope.contracts.words.units import format_size

RESULTS = report.RESULTS / "experiments.json"
PAGE = Path(__file__).parents[2] / "docs" / "experiments.md"
_MARKED = re.compile(r"(<!-- table (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_NAMES = {
    ("reduce", "naive"): "push to one parameter server (`reduce`, `naive`)",
    ("all_reduce", "naive"): "gather and broadcast (`naive`)",
    ("all_reduce", "parameter_server"): "push and pull, one of the ranks serves (`parameter_server`)",
    ("all_reduce", "direct"): "sharded parameter server, a shard on each host (`direct`)",
    ("all_reduce", "ring"): "ring (`ring`)",
    ("all_reduce", "ring_pipelined"): "ring, chunks cut into segments (`ring_pipelined`)",
    ("all_reduce", "mpi"): "MPI_Allreduce of MPICH (`mpi`)",
    ("all_reduce", "hierarchical"): "inside the hosts, between them, inside again (`hierarchical`)",
    ("all_reduce", "halving_doubling"): "halving and doubling (`halving_doubling`)",
}


def fill() -> Path:
    """Put the committed results into the page."""
    PAGE.write_text(filled(PAGE.read_text(), json.loads(RESULTS.read_text())))
    return PAGE


def filled(page: str, document: Mapping[str, Any]) -> str:
    """The page with the tables of a results document; KeyError for a marker without a table."""
    made = tables(document) | {"run": _run(document)}
    return _MARKED.sub(lambda found: f"{found[1]}{made[found[2]]}\n{found[3]}", page)


def tables(document: Mapping[str, Any]) -> dict[str, str]:
    """The tables in Markdown by their names, as far as the document has their experiments."""
    found = {name: [Row(**row) for row in made["rows"]] for name, made in document["experiments"].items()}
    made = {name: _beside(rows) for name, rows in found.items() if name not in ("hosts", "fast")}
    if "hosts" in found:
        made["hosts"] = _over_hosts(found["hosts"])
    if "fast" in found:
        made["fast"] = _fast(found["fast"], document["direct_run"])
    return made


def _beside(rows: Sequence[Row]) -> str:
    return _table(
        ("", "raw bits, s", "payload, s", "measured, s", "measured / payload"),
        (
            (
                _NAMES[row.collective, row.algorithm],
                f"{row.raw_s:.3g}",
                f"{row.predicted_s:.3g}",
                f"{row.measured_s:.3g}",
                f"{row.ratio:.2f}",
            )
            for row in rows
        ),
    )


def _over_hosts(rows: Sequence[Row]) -> str:
    by_hosts = {number: {row.algorithm: row for row in rows if row.ranks == number} for number in _ranks(rows)}
    line = fitted_line(rows)
    table = _table(
        ("hosts", "naive, s", "formula, s", "ratio", "ring, s", "formula, s", "ratio"),
        (
            (
                str(number),
                *(
                    cell
                    for row in (found["naive"], found["ring"])
                    for cell in (f"{row.measured_s:.3f}", f"{row.predicted_s:.3f}", f"{row.ratio:.2f}")
                ),
            )
            for number, found in by_hosts.items()
        ),
    )
    return (
        f"{table}\n\nnaive: {line.slope_s:.3f} s for each further host, by the formula 2K/B = "
        f"{line.predicted_slope_s:.3f} s; R² of the line {line.r_squared:.5f}. "
        f"ring: at most {ring_deviation(rows):.1%} off its formula."
    )


def _fast(rows: Sequence[Row], direct_run: Sequence[Mapping[str, Any]]) -> str:
    direct_s = {(row["algorithm"], row["size_bytes"]): row["measured_s"] for row in direct_run}
    mpi_s = {row.size_bytes: row.measured_s for row in rows if row.algorithm == "mpi"}
    return _table(
        ("message", "algorithm", "through a job, ms", "bus bandwidth, MB/s", "of the payload limit", "times MPI",
         "without a server, ms"),
        (
            (
                format_size(row.size_bytes),
                f"`{row.algorithm}`",
                f"{row.measured_s * 1e3:.1f}",
                f"{row.busbw_bytes_per_s / 1e6:.1f}",
                f"{_limit_s(row, rows) / row.measured_s:.3f}",
                f"{mpi_s[row.size_bytes] / row.measured_s:.2f}",
                f"{direct_s[row.algorithm, row.size_bytes] * 1e3:.1f}",
            )
            for row in rows
        ),
    )  # fmt: skip


def _limit_s(row: Row, rows: Sequence[Row]) -> float:
    """Return the time that the model predicts for the ring, which no algorithm can be faster than."""
    return next(ring.predicted_s for ring in rows if (ring.algorithm, ring.size_bytes) == ("ring", row.size_bytes))


def _run(document: Mapping[str, Any]) -> str:
    machine = document["machine"]
    found = [made["conditions"] for made in document["experiments"].values()]
    return (
        f"Runs of {min(conditions['started_at'] for conditions in found)} and later on {machine['cores']} cores of "
        f"{machine['cpu']}, Linux {machine['kernel']}, MPICH {machine['versions']['mpich']}. Load averages before them "
        f"were {min(conditions['load_before'][0] for conditions in found):.0f} to "
        f"{max(conditions['load_before'][0] for conditions in found):.0f}."
    )


def _ranks(rows: Sequence[Row]) -> list[int]:
    return sorted({row.ranks for row in rows})


def _table(heading: Sequence[str], lines: Any) -> str:
    aligned = ["---", *["---:"] * (len(heading) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heading, aligned, *lines))


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill the page, and say which."""
    Parser(__doc__).parse_args(arguments)
    say(f"written: {fill()}")
    return 0


if __name__ == "__main__":
    exit_with(main)
