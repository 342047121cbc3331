"""The options of a sweep, with nccl-tests' letters: the same in every command that has them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

from ringscope.bench.nccl_tests.dtypes import dtype_named
from ringscope.cli.short_flags import size
from ringscope.contracts.benchmark import AVERAGES
from ringscope.contracts.words.collectives import COLLECTIVES
from ringscope.contracts.words.units import is_whole_number, parse_size

_DEFAULT_STEP = "1M"  # nccl-tests' -i, which applies if -f is 1

Switch = int | None  # 0, 1, or not given

CollectiveOption = Annotated[str | None, typer.Option("--collective", help=f"{', '.join(COLLECTIVES)}.")]


@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """Options of ``submit`` and ``bench`` that describe the sweep; None: not given."""

    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm",
            metavar="<str>",
            help="Algorithms to compare, separated by commas or repeated; auto is allowed. Default: those of "
            "ring,direct,mpi that the collective supports.",
        ),
    ] = None
    transport: Annotated[
        str | None,
        typer.Option(
            "--transport", help="auto, shared_memory, mpi, nccl, cuda_ipc, or simulated: the cost model's times."
        ),
    ] = None
    device: Annotated[str | None, typer.Option("--device", help="auto, cpu or cuda.")] = None
    min_bytes: Annotated[str | None, typer.Option("-b", "--min-bytes", help="Smallest size: 8, 64K, 1.5G.")] = None
    max_bytes: Annotated[str | None, typer.Option("-e", "--max-bytes", help="Largest size.")] = None
    step_factor: Annotated[
        int | None,
        typer.Option(
            "-f", "--step-factor", help="Factor from one size to the next; above 1 it overrides -i; default 2."
        ),
    ] = None
    step_bytes: Annotated[
        str | None, typer.Option("-i", "--step-bytes", help="Step from one size to the next, instead of -f: 64K, 1M.")
    ] = None
    iterations: Annotated[int | None, typer.Option("-n", "--iterations", help="Timed iterations of each size.")] = None
    warmup: Annotated[int | None, typer.Option("-w", "--warmup", help="Untimed iterations of each size.")] = None
    aggregate: Annotated[
        int | None,
        typer.Option("-m", "--aggregate", help="Operations in one timed iteration; times are per operation."),
    ] = None
    cycles: Annotated[int | None, typer.Option("-N", "--cycles", help="Number of repetitions of the whole sweep.")] = (
        None
    )
    blocking: Annotated[
        int | None,
        typer.Option(
            "-z",
            "--blocking",
            help="Wait for each operation (2), also with a barrier (1), or with one after each iteration, outside "
            "its time (3). 0: on GPUs, wait once for all operations of a block; in host memory, the same as 2.",
        ),
    ] = None
    registration: Annotated[
        int | None,
        typer.Option(
            "-R",
            "--registration",
            help="Register the buffers with NCCL (1), or make them its symmetric windows (2, NCCL 2.27 or later), "
            "over transport nccl. 0: neither.",
        ),
    ] = None
    cuda_graph_launches: Annotated[
        int | None,
        typer.Option(
            "-G",
            "--cuda-graph-launches",
            help="Capture each block as a CUDA graph and launch it so often, over transport nccl. 0: no graph.",
        ),
    ] = None
    average: Annotated[
        str | None, typer.Option("-a", "--average", help="Time of a row: 0 rank0, 1 mean, 2 min or 3 max of the ranks.")
    ] = None
    rotate: Annotated[
        Switch,
        typer.Option(
            "--rotate",
            min=0,
            max=1,
            help="1: each operation uses the next piece of memory, as in nccl-tests, so that caches do not hold it.",
        ),
    ] = None
    per_iteration: Annotated[
        Switch,
        typer.Option(
            "-I",
            "--per-iteration",
            min=0,
            max=1,
            help="Report each iteration: i_min, i_max, i_p99 and i_cv% in tables, all times in bench's JSON.",
        ),
    ] = None
    skip_iterations: Annotated[
        int | None, typer.Option("-K", "--skip-iterations", help="Leading iterations that -I's columns leave out.")
    ] = None
    timeout_seconds: Annotated[
        int | None,
        typer.Option(
            "-T", "--timeout", help="Seconds that a rank waits for another one before it fails and names that rank."
        ),
    ] = None
    check: Annotated[Switch, typer.Option("-c", "--check", min=0, max=1, help="Check results.")] = None
    dtype: Annotated[str | None, typer.Option("-d", "--dtype", help="float, half, double, int8 and so on.")] = None
    op: Annotated[str | None, typer.Option("-o", "--op", help="sum, prod, min, max or avg.")] = None
    root: Annotated[int | None, typer.Option("-r", "--root", help="Root rank of broadcast and reduce.")] = None

    def benchmark(self) -> dict[str, Any]:
        """Return the given options as fields of ``BenchmarkSpec``; UserError if one cannot be read.

        As in nccl-tests a factor above 1 wins over a step, and a factor of 1 means steps.
        """
        factor, step = self.step_factor, size("-i", self.step_bytes)
        if factor in (0, 1):
            factor, step = None, step or parse_size(_DEFAULT_STEP)
        elif factor is not None:
            step = None
        fields = asdict(self) | {
            "algorithms": listed(self.algorithm) if self.algorithm else None,
            "min_bytes": size("-b", self.min_bytes),
            "max_bytes": size("-e", self.max_bytes),
            "step_factor": factor,
            "step_bytes": step,
            "average": _average(self.average),
            "dtype": None if self.dtype is None else dtype_named(self.dtype),
            "check": _switch(self.check),
            "per_iteration": _switch(self.per_iteration),
            "rotate": _switch(self.rotate),
        }
        del fields["algorithm"]
        return {name: value for name, value in fields.items() if value is not None}


def listed(given: Sequence[str]) -> list[str]:
    """Split an option that takes commas and may be repeated into its names."""
    return [name for text in given for name in text.split(",")]


def _average(text: str | None) -> str | None:
    """Return the name of an average that was given by its number."""
    is_number = text is not None and is_whole_number(text) and int(text) < len(AVERAGES)
    return AVERAGES[int(text)] if text is not None and is_number else text


def _switch(value: int | None) -> bool | None:
    return None if value is None else bool(value)
