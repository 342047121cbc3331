"""The prediction of what a step sums: gradients, or parameters by local_sgd, or activations by tensor.

Times that earlier jobs measured count before those of the cost model: benchmarks in place, and the runs of strategy
searches, which time sums of these sizes while a model trains.
It takes processor time, so it runs in a process without tables.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ringscope.choice import prediction as library
from ringscope.choice.chooser import Chooser
from ringscope.choice.situation import Situation
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.training import LOCAL_SGD, TENSOR, TrainingSpec
from ringscope.contracts.training import size as training_size
from ringscope.contracts.tuning import Table
from ringscope.contracts.words.collectives import AUTO
from ringscope_server.predictions.views import GradientSum

_MEASURED = "Measured by earlier jobs on comparable nodes: benchmarks in place, or steps of strategy searches."


class _Piece(NamedTuple):
    """One sum: its algorithm, its time, and a sentence that names the source of the time."""

    algorithm: str
    time_us: float
    source: str


def gradient_sum(ranks: int, training: TrainingSpec, slots: Sequence[int], known: Table) -> GradientSum | None:
    """Predict the sum of one step, piece by piece; None if the algorithm of the sum is not known, or if the user's own
    files decide its size.
    """
    if ranks == 1 or not training.uses_all_reduce or training.compression != "none":
        return None
    chooser, found = Chooser(known), []
    for size_bytes, count in _sizes(training):
        sweep = _sweep(training, size_bytes)
        told = _measured(chooser, sweep, slots, known) or _modelled(sweep, slots, known)
        if told is None:
            return None
        found.append((told, count))
    if not found:
        return None
    (largest, _), *_ = found
    is_average = training.strategy in LOCAL_SGD
    return GradientSum(
        of="activations" if training.strategy in TENSOR else "parameters" if is_average else "gradients",
        algorithm=largest.algorithm,
        time_us=sum(told.time_us * count for told, count in found),
        pieces=sum(count for _, count in found),
        every_steps=training.sync_every if is_average else 1,
        source=largest.source,
    )


def _sizes(training: TrainingSpec) -> list[tuple[int, int]]:
    """Return how many bytes are summed how often, the largest first; nothing if the user's own files decide it."""
    if training.strategy in TENSOR:
        return sorted(training_size.activation_sums(training).items(), reverse=True)
    whole = training_size.gradient_bytes(training) or 0
    pieces, rest_bytes = divmod(whole, training.bucket_bytes)
    counted = [(training.bucket_bytes, pieces), (rest_bytes, 1 if rest_bytes else 0)]
    return [(size_bytes, count) for size_bytes, count in counted if count]


def _sweep(training: TrainingSpec, size_bytes: int) -> BenchmarkSpec:
    """Return a benchmark of the sum's only size."""
    return BenchmarkSpec(
        algorithms=[training.all_reduce],
        transport=training.transport,
        device=training.device,
        min_bytes=size_bytes,
        max_bytes=size_bytes,
    )


def _measured(chooser: Chooser, sweep: BenchmarkSpec, slots: Sequence[int], known: Table) -> _Piece | None:
    """Return the time that earlier jobs measured; None if they did not measure such a sum."""
    situation = Situation(
        sweep.collective,
        sweep.dtype,
        tuple(slots),
        library.transport_of(sweep, len(slots)),
        in_place=True,
        is_crowded=library.is_crowded(sweep, slots, known.machine),
    )
    (name,), size_bytes = sweep.algorithms, sweep.min_bytes
    algorithm = chooser.choose(situation, size_bytes).algorithm if name == AUTO else name
    time_us = chooser.measured_us(situation, size_bytes, algorithm)
    return None if time_us is None else _Piece(algorithm, time_us, _MEASURED)


def _modelled(sweep: BenchmarkSpec, slots: Sequence[int], known: Table) -> _Piece | None:
    """Return the time by the cost model; None if it cannot price the algorithm."""
    told = library.predict(sweep, slots, known)
    if not told.rows:
        return None
    row = told.rows[0]
    return _Piece(row.chosen_algorithm or row.algorithm, row.time_us, told.model)
