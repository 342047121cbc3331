"""Warnings about what would make a benchmark's result worth less than it seems, as sentences. Pure."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ringscope.choice.prediction import Prediction
from ringscope.contracts.findings import FieldError
from ringscope.contracts.job import JobSpec
from ringscope.contracts.words.units import format_duration, format_size, plural
from ringscope.judging.same_messages import same_messages

_FIELD = re.compile(r"^[\w.\[\]]+: ")  # what a sentence about a field begins with


@dataclass(frozen=True, slots=True)
class NodeRanks:
    """The ranks on one node, and the node's resources for them."""

    name: str
    ranks: int
    cores: int
    memory_bytes: int
    gpu_memory_bytes: Sequence[int]  # the memory of each of its GPUs


def refusals(errors: Sequence[FieldError]) -> list[str]:
    """Return a sentence for each reason why this cluster could not run the job, without the name of a field."""
    return [f"This cluster could not run it: {_FIELD.sub('', error.detail)}" for error in errors]


def warnings(spec: JobSpec, found: Prediction, nodes: Sequence[NodeRanks]) -> list[str]:
    """Return all warnings that apply, the most important first."""
    return [
        *_time(spec, found),
        *_memory(spec, found, nodes),
        *_cores(nodes),
        *_ranks(spec),
        *_unpredicted(spec, found),
    ]


def _time(spec: JobSpec, found: Prediction) -> Iterator[str]:
    seconds = found.operations_seconds
    if seconds is not None and seconds > spec.time_limit_seconds:
        yield (
            f"The operations alone should take {format_duration(seconds)}, and the time limit is "
            f"{format_duration(spec.time_limit_seconds)}: raise it, or lower the iterations or the largest size."
        )


def _memory(spec: JobSpec, found: Prediction, nodes: Sequence[NodeRanks]) -> Iterator[str]:
    is_on_gpus = spec.settled_device == "cuda"
    for node in nodes:
        # Ranks are distributed over the GPUs of their node.
        ranks = math.ceil(node.ranks / max(1, len(node.gpu_memory_bytes))) if is_on_gpus else node.ranks
        there = min(node.gpu_memory_bytes, default=0) if is_on_gpus else node.memory_bytes
        needed = ranks * found.buffer_bytes
        if needed > there > 0:
            whose = f"a GPU of {node.name}" if is_on_gpus else node.name
            yield (
                f"The buffers of {plural(ranks, 'rank')} need {format_size(needed)}, and {whose} has "
                f"{format_size(there)}: lower the largest size."
            )


def _cores(nodes: Sequence[NodeRanks]) -> Iterator[str]:
    crowded = [node for node in nodes if node.ranks > node.cores]
    if crowded:
        worst = max(crowded, key=lambda node: node.ranks / node.cores)
        yield (
            f"{worst.ranks} ranks share the {worst.cores} cores of {worst.name} and wait for each other: "
            "times will be longer than the links', and vary."
        )


def _ranks(spec: JobSpec) -> Iterator[str]:
    if spec.ranks == 1:
        yield "One rank sends no data: its bus bandwidth is 0."
    for *names, last in same_messages(spec.sweep.algorithms, spec.ranks, spec.collective):
        yield (
            f"With {plural(spec.ranks, 'rank')} {', '.join(names)} and {last} send the same messages: "
            "expect no difference between them."
        )


def _unpredicted(spec: JobSpec, found: Prediction) -> Iterator[str]:
    if found.unpredicted and spec.ranks > 1:
        yield f"The cost model cannot predict {', '.join(found.unpredicted)} here."
