"""The judgement of a sweep on this machine's GPUs, as one line, and on request its references as a table."""

from collections.abc import Iterable
from pathlib import Path

from ringscope.cli.console import say
from ringscope.cli.results.explained import say_references, with_values
from ringscope.cli.results.site_file import sources
from ringscope.contracts.job import JobSpec
from ringscope.contracts.record import Hello, Measurement
from ringscope.expected.facts import Facts, Point
from ringscope.expected.judgement import UNKNOWN, Judgement, judge
from ringscope.rank.local import Run

_DRIVER = Path("/proc/driver/nvidia/gpus")  # the driver's own files: a directory for each GPU by its PCI address


def say_judgement(job: JobSpec, run: Run, data_dir: Path, is_explained: bool, driver: Path = _DRIVER) -> None:
    """Print whether the bandwidth is what was to be expected; if that is unknown, only if it is to be explained."""
    gpu = _gpu(run.hellos, driver)
    if gpu is None and not is_explained:
        return  # there is no reference for CPUs
    found = _judged(job, run, gpu, data_dir)
    if found.word != UNKNOWN or is_explained:
        say(found.sentence)
    if is_explained:
        say_references(with_values(found))


def _judged(job: JobSpec, run: Run, gpu: str | None, data_dir: Path) -> Judgement:
    nodes = len({hello.host for hello in run.hellos})
    facts = Facts(
        gpu=gpu,
        ranks=job.ranks,
        nodes=nodes,
        gpus_per_node=job.ranks if nodes == 1 else None,
        collective=job.collective,
        library="NCCL",
        environment=next((one.variables for one in run.environments), {}),
    )
    return judge(facts, _points(run.measurements), sources(data_dir))


def _gpu(hellos: Iterable[Hello], driver: Path) -> str | None:
    """Return the model of the GPUs; None if a rank had none, or if they differ, or if the driver does not tell."""
    addresses = [hello.device.partition("[")[2].rstrip("]").lower() for hello in hellos]
    models = {_model(driver / address / "information") if address else None for address in addresses}
    return models.pop() if len(models) == 1 else None


def _model(path: Path) -> str | None:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    lines = dict(line.partition(":")[::2] for line in text.splitlines())
    return lines.get("Model", "").strip() or None


def _points(rows: Iterable[Measurement]) -> list[Point]:
    """Return for each size and placement the row with the best bandwidth, with the interval that its time has."""
    best: dict[tuple[int, bool], Measurement] = {}
    for row in rows:
        known = best.get((row.size_bytes, row.in_place))
        if not row.wrong and (known is None or row.busbw_gb_per_s > known.busbw_gb_per_s):
            best[row.size_bytes, row.in_place] = row
    return [_point(row) for row in best.values()]


def _point(row: Measurement) -> Point:
    times = row.time_high_us or row.time_us, row.time_low_us or row.time_us
    low, high = (row.busbw_gb_per_s * row.time_us / time if time else row.busbw_gb_per_s for time in times)
    return Point(row.size_bytes, row.in_place, row.busbw_gb_per_s, low, high)
