"""The options of a sweep, in nccl-tests' letters: the same on every command line that has them."""

from collections.abc import Sequence
from typing import Annotated

import typer

from ringscope.contracts.words.collectives import COLLECTIVES

Switch = int | None  # 0, 1, or not given

CollectiveOption = Annotated[str | None, typer.Option("--collective", help=f"{', '.join(COLLECTIVES)}.")]
Algorithms = Annotated[
    list[str] | None,
    typer.Option(
        "--algorithm",
        metavar="<str>",
        help="Compared side by side, auto among them, with commas or repeated; default: ring,direct,mpi as far as the "
        "collective has them.",
    ),
]
Transport = Annotated[
    str | None,
    typer.Option("--transport", help="auto, shared_memory, mpi, nccl, cuda_ipc, or simulated: the cost model's times."),
]
Device = Annotated[str | None, typer.Option("--device", help="auto, cpu or cuda.")]
MinBytes = Annotated[str | None, typer.Option("-b", "--min-bytes", help="Smallest size: 8, 64K, 1.5G.")]
MaxBytes = Annotated[str | None, typer.Option("-e", "--max-bytes", help="Largest size.")]
StepFactor = Annotated[
    int | None,
    typer.Option("-f", "--step-factor", help="Factor from one size to the next; above 1 it overrides -i; default 2."),
]
StepBytes = Annotated[
    str | None, typer.Option("-i", "--step-bytes", help="Step from one size to the next, instead of -f: 64K, 1M.")
]
Iterations = Annotated[int | None, typer.Option("-n", "--iterations", help="Timed iterations of each size.")]
Warmup = Annotated[int | None, typer.Option("-w", "--warmup", help="Untimed iterations of each size.")]
Aggregate = Annotated[
    int | None,
    typer.Option("-m", "--aggregate", help="Operations in one timed iteration; times are per operation."),
]
Cycles = Annotated[int | None, typer.Option("-N", "--cycles", help="How often the whole sweep is repeated.")]
Blocking = Annotated[
    int | None,
    typer.Option(
        "-z",
        "--blocking",
        help="All ranks meet after each operation (1), or after each iteration, outside its time (3). "
        "Operations always wait for their result, so that 2 is the same as 0.",
    ),
]
Average = Annotated[
    str | None, typer.Option("-a", "--average", help="Time of a row: 0 rank0, 1 mean, 2 min or 3 max of the ranks.")
]
Rotate = Annotated[
    Switch,
    typer.Option(
        "--rotate",
        min=0,
        max=1,
        help="1: each operation takes the next piece of memory, as in nccl-tests, so that caches do not hold it.",
    ),
]
Check = Annotated[Switch, typer.Option("-c", "--check", min=0, max=1, help="Check results.")]
Dtype = Annotated[str | None, typer.Option("-d", "--dtype", help="float, half, double, int8 and so on.")]
Op = Annotated[str | None, typer.Option("-o", "--op", help="sum, prod, min, max or avg.")]
Root = Annotated[int | None, typer.Option("-r", "--root", help="Root rank of broadcast and reduce.")]
PerIteration = Annotated[
    Switch,
    typer.Option(
        "-I",
        "--per-iteration",
        min=0,
        max=1,
        help="Report each iteration: i_min, i_max, i_p99 and i_cv% in tables, all times in bench's JSON.",
    ),
]
SkipIterations = Annotated[
    int | None, typer.Option("-K", "--skip-iterations", help="Leading iterations that -I's columns leave out.")
]
RankTimeout = Annotated[
    int | None,
    typer.Option("-T", "--timeout", help="Seconds that a rank waits for another one before it reports it."),
]


def listed(given: Sequence[str]) -> list[str]:
    """Split an option that takes commas and may be repeated into its names."""
    return [name for text in given for name in text.split(",")]
