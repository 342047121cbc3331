"""The pictures of docs/experiments.md, from results/experiments.json."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.experiments.scaling import fitted_line
from benchmarks.experiments.trial import Row

IMAGES = Path(__file__).parents[2] / "docs" / "images"
_NAMES = {
    ("reduce", "naive"): "push to one server",
    ("all_reduce", "naive"): "gather + broadcast",
    ("all_reduce", "parameter_server"): "parameter server",
    ("all_reduce", "direct"): "sharded server",
    ("all_reduce", "mpi"): "MPI_Allreduce",
    ("all_reduce", "ring"): "ring",
    ("all_reduce", "ring_pipelined"): "ring, segments",
}
_COLOURS = {"naive": "#b0413e", "ring": "#2e9e6b"}
_MODEL = "#8a8f98"


def draw(document: Mapping[str, Any]) -> list[Path]:
    """Write one picture of the lecture's case and one of time against hosts; none without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return []
    matplotlib.use("svg")
    matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "ringscope", "font.size": 10}
    found = {name: [Row(**row) for row in made["rows"]] for name, made in document["experiments"].items()}
    return [_saved("lecture", _lecture, found["lecture"]), _saved("hosts", _hosts, found["hosts"])]


def _saved(name: str, paint: Any, rows: Sequence[Row]) -> Path:
    from matplotlib import pyplot

    figure, ax = pyplot.subplots(figsize=(8, 4.2), layout="constrained")
    paint(ax, rows)
    path = IMAGES / f"experiments-{name}.svg"
    figure.savefig(path, metadata={"Date": None}, facecolor="white")
    pyplot.close(figure)
    return path


def _lecture(ax: Any, rows: Sequence[Row]) -> None:
    names = [_NAMES[row.collective, row.algorithm] for row in rows]
    places = range(len(rows))
    for shift, name, colour in ((-0.2, "measured", "#1769aa"), (0.2, "model", _MODEL)):
        times_s = [row.measured_s if name == "measured" else row.predicted_s for row in rows]
        ax.barh([place + shift for place in places], times_s, 0.38, color=colour, label=name)
    for place, row in zip(places, rows, strict=True):
        ax.text(row.measured_s + 0.2, place - 0.2, f"{row.measured_s:.2f} s", va="center")
    ax.set_yticks(places, names)
    ax.invert_yaxis()
    ax.set_xlim(0, max(row.measured_s for row in rows) * 1.12)
    ax.set(title="12 MB on 10 hosts at 80 Mbit/s", xlabel="seconds")
    ax.legend(loc="lower right")


def _hosts(ax: Any, rows: Sequence[Row]) -> None:
    for algorithm, colour in _COLOURS.items():
        chosen = [row for row in rows if row.algorithm == algorithm]
        hosts = [row.ranks for row in chosen]
        ax.plot(hosts, [row.predicted_s for row in chosen], "--", color=_MODEL)
        ax.plot(hosts, [row.measured_s for row in chosen], "o", color=colour, label=f"{algorithm}, measured")
    line = fitted_line(rows)
    ax.plot([], [], "--", color=_MODEL, label="formula")
    size_mb = rows[0].size_bytes / 1e6
    ax.set(
        title=f"{size_mb:.3g} MB at 80 Mbit/s: naive grows by {line.slope_s:.2f} s a host, the ring does not",
        xlabel="hosts",
        ylabel="seconds",
    )
    ax.set_ylim(bottom=0)
    ax.grid(alpha=0.25)
    ax.legend()
