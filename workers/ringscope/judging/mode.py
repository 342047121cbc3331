"""Measurement mode of a benchmark: the options that change its times and that no row contains. Pure."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.environment import shown
from ringscope.contracts.words.units import plural

_AVERAGES = {
    "mean": "the mean of the ranks' times",
    "rank0": "the time of rank 0",
    "min": "the shortest of the ranks' times",
    "max": "the longest of the ranks' times",
}
_WAITED = (
    "",
    "to wait for each operation, after which all ranks meet",
    "to wait for each operation",
    "that all ranks meet after each iteration",
)
_REGISTERED = ("", "for buffers that are registered with NCCL", "for buffers that are NCCL's symmetric windows")
_NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


class Mode(NamedTuple):
    """Measurement mode of a benchmark; times measured in different modes are not comparable."""

    channels: int | None  # None: the default number
    aggregate: int
    blocking: int
    registration: int
    cuda_graph_launches: int
    average: str
    rotate: bool
    env: tuple[tuple[str, str], ...]  # the job's environment variables, by name


def mode_of(spec: BenchmarkSpec, env: Mapping[str, str] = _NO_VARIABLES) -> Mode:
    """Return the mode that a benchmark asks for whose job sets the variables ``env``."""
    variables = tuple(sorted(env.items()))
    return Mode(
        spec.channels,
        spec.aggregate,
        spec.blocking,
        spec.registration,
        spec.cuda_graph_launches,
        spec.average,
        spec.rotate,
        variables,
    )


DEFAULT = mode_of(BenchmarkSpec())


def non_default(mode: Mode) -> dict[str, str]:
    """Return a short name for each option that differs from the default, with a phrase (as in ``lib/mode.ts``)."""
    channels = plural(mode.channels or 0, "channel")
    variables = [f"{name}={value}" for name, value in shown(dict(mode.env)).items()]
    return {
        word: asked
        for differs, word, asked in (
            (mode.channels != DEFAULT.channels, channels, f"for {channels} of rings and trees"),
            (
                mode.aggregate != DEFAULT.aggregate,
                f"aggregate {mode.aggregate}",
                f"for {plural(mode.aggregate, 'operation')} in each iteration",
            ),
            (mode.blocking != DEFAULT.blocking, f"blocking {mode.blocking}", _WAITED[mode.blocking]),
            (
                mode.registration != DEFAULT.registration,
                f"registration {mode.registration}",
                _REGISTERED[mode.registration],
            ),
            (
                mode.cuda_graph_launches != DEFAULT.cuda_graph_launches,
                f"graph launches {mode.cuda_graph_launches}",
                f"for each block as a CUDA graph that is launched {plural(mode.cuda_graph_launches, 'time')}",
            ),
            (mode.average != DEFAULT.average, f"average {mode.average}", f"for {_AVERAGES[mode.average]}"),
            (mode.rotate != DEFAULT.rotate, "rotate", "for another piece of memory in each operation"),
            (mode.env != DEFAULT.env, f"env {' '.join(variables)}", f"for the variables {' '.join(variables)}"),
        )
        if differs
    }
