"""Write one table and one JSON of all sweeps of tests/gpu/run:  summary.py RESULTS. Needs no package."""

import json
import sys
from pathlib import Path
from typing import Any

SHOWN_BYTES = (8, 32 << 10, 512 << 10, 8 << 20, 128 << 20)
FACTS = ("Python ", "GPUs: ", "CUDA's driver: ", "NCCL: ", "cupy: ")
Row = dict[str, Any]


def main(results: Path) -> int:
    """Write summary.md, the table for docs/gpu.md, and summary.json; 1 if there is no sweep."""
    sweeps = {path.stem: path for path in sorted(results.glob("*.json")) if path.name != "summary.json"}
    documents = {name: json.loads(path.read_text()) for name, path in sweeps.items()}
    facts = results / "facts.txt"
    lines = facts.read_text().splitlines() if facts.exists() else []
    told = [line for line in lines if line.startswith(FACTS)]
    rows = [row for name, document in documents.items() for row in compact(name, document)]
    text = "\n".join([*table(rows), ""])
    (results / "summary.md").write_text(text)
    (results / "summary.json").write_text(json.dumps({"facts": told, "sweeps": rows}, indent=1))
    sys.stdout.write(text)
    return int(not rows)


def compact(sweep: str, document: Row) -> list[Row]:
    """Return the rows of one sweep with what a table needs."""
    return [
        {
            "sweep": sweep,
            "transport": result.get("transport"),
            "algorithm": result["algorithm"],
            "type": result["type"],
            "ranks": result.get("ranks"),
            "size_bytes": result["size"],
            "time_us": result["out_of_place"]["time"],
            "busbw_gb_per_s": result["out_of_place"]["bus_bw"],
            "wrong": result["out_of_place"]["nwrong"],
        }
        for result in document["results"]
        if "out_of_place" in result
    ]


def table(rows: list[Row]) -> list[str]:
    """Return a Markdown table: a line for each sweep and algorithm, the time and the bus bandwidth of each size."""
    measured = sorted({row["size_bytes"] for row in rows})
    sizes = [size for size in SHOWN_BYTES if size in measured]
    sizes = sizes if not measured or measured[-1] in sizes else [*sizes, measured[-1]]
    keys = dict.fromkeys((row["sweep"], row["algorithm"]) for row in rows)
    lines = [
        f"| sweep | algorithm | {' | '.join(map(size_words, sizes))} | wrong |",
        f"|---|---|{'--:|' * len(sizes)}--:|",
    ]
    for sweep, algorithm in keys:
        mine = {row["size_bytes"]: row for row in rows if (row["sweep"], row["algorithm"]) == (sweep, algorithm)}
        cells = [cell(mine.get(size)) for size in sizes]
        wrong = sum(row["wrong"] or 0 for row in mine.values())
        lines.append(f"| {sweep} | {algorithm} | {' | '.join(cells)} | {wrong} |")
    return ["Times in us and bus bandwidths in GB/s of an all-reduce, out of place:", "", *lines]


def cell(row: Row | None) -> str:
    """Return the time and the bandwidth of one row."""
    return "" if row is None else f"{row['time_us']:.4g} us, {row['busbw_gb_per_s']:.3g}"


def size_words(size: int) -> str:
    """Return a size in the largest unit that divides it."""
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size and size % (1 << shift) == 0:
            return f"{size >> shift} {unit}"
    return f"{size} B"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
