"""One picture of what was measured, from the JSON files in results/."""

import json
from pathlib import Path
from typing import Any

from benchmarks.engine.measure import series_of
from benchmarks.report import RESULTS

_COLOURS = {
    "copy": "#8a8f98", "direct": "#1769aa", "ring": "#2e9e6b", "ring_pipelined": "#7bc47f", "auto": "#111111",
    "mpi": "#d9822b", "gloo": "#a854a8", "naive": "#b0413e",
}  # fmt: skip
_LABELS = {"copy": "memory limit"}


def draw() -> Path | None:
    """Write results/benchmarks.svg; None without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "ringscope", "font.size": 9}
    figure, axes = pyplot.subplots(2, 2, figsize=(11, 8), layout="constrained")
    for ax, ranks in zip(axes[0], (2, 4), strict=True):
        _one_node(ax, _read("one_node"), ranks)
    _links(axes[1][0], _read("links"))
    _model(axes[1][1], _read("model"))
    path = RESULTS / "benchmarks.svg"
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return path


def _read(name: str) -> dict[str, Any]:
    path = RESULTS / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {"series": []}
    return found | {"series": series_of(found["series"])}


def _size_axis(ax: Any) -> None:
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    powers = range(10, 27, 4)
    ax.set_xticks([1 << power for power in powers], ["1 KiB", "16 KiB", "256 KiB", "4 MiB", "64 MiB"])
    ax.grid(alpha=0.25)


def _one_node(ax: Any, document: dict[str, Any], ranks: int) -> None:
    rows = [row for row in document["series"] if row.ranks == ranks and not row.in_place]
    for name in dict.fromkeys(row.algorithm for row in rows):
        line = [(row.size_bytes, row.busbw_gb_per_s) for row in rows if row.algorithm == name]
        style = "--" if name in ("copy", "auto") else "-"
        ax.plot(*zip(*line, strict=True), style, color=_COLOURS[name], label=_LABELS.get(name, name), marker=".")
    _size_axis(ax)
    ax.set(title=f"One node, {ranks} ranks, float32 sum, out of place", ylabel="bus bandwidth, GB/s", xlabel="message")
    if rows:
        ax.legend()


def _links(ax: Any, document: dict[str, Any]) -> None:
    rows = document["series"]
    labels = [f"{row.algorithm}, {row.ranks} x {row.size_bytes / 1e6:.3g} MB" for row in rows]
    limits = document.get("payload_bytes_per_s", {})
    shares = [row.busbw_gb_per_s * 1e9 / limits[str(row.ranks)] for row in rows]
    ax.barh(labels, shares, color=[_COLOURS[row.algorithm] for row in rows])
    ax.axvline(1, color="#8a8f98", linestyle="--")
    ax.invert_yaxis()
    ax.set(title="Hosts on shaped links (4 x 1 Gbit/s, 10 x 80 Mbit/s)", xlabel="share of the payload limit")


def _model(ax: Any, document: dict[str, Any]) -> None:
    for transport, colour in (("mpi", "#d9822b"), ("shared_memory", "#1769aa")):
        rows = [row for row in document["series"] if row.transport == transport]
        if not rows:
            continue
        sizes, times = [row.size_bytes for row in rows], [row.time_us for row in rows]
        ax.plot(sizes, document["predicted_us"][transport], color=colour, label=f"model, {transport}")
        for first, marker, name in ((0, "o", "fitted"), (1, "x", "left out")):
            ax.plot(sizes[first::2], times[first::2], marker, color=colour, label=f"{transport}, {name}", markersize=4)
    _size_axis(ax)
    ax.set(title="Cost model, ring between 2 ranks", ylabel="time, µs", xlabel="message")
    if document["series"]:
        ax.legend()
