"""The cost model's prediction of what a step sums: gradients, or parameters by local_sgd, or activations by tensor.

It takes processor time, so it runs in a process without tables.
"""

from collections.abc import Sequence

from ringscope.choice import prediction as library
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.training import LOCAL_SGD, TENSOR, TrainingSpec
from ringscope.contracts.training import size as training_size
from ringscope.contracts.tuning import Table
from ringscope_server.predictions.views import GradientSum


def gradient_sum(ranks: int, training: TrainingSpec, slots: Sequence[int], known: Table) -> GradientSum | None:
    """Predict the sum of one step, piece by piece; None if the model does not know the algorithm of the sum, or if the
    user's own files decide its size.
    """
    if ranks == 1 or not training.uses_all_reduce or training.compression != "none":
        return None
    found = [(_all_reduce(training, size_bytes, slots, known), count) for size_bytes, count in _sizes(training)]
    if not found:
        return None
    if any(not told.rows for told, _ in found):
        return None
    (largest, _), *_ = found
    row, is_average = largest.rows[0], training.strategy in LOCAL_SGD
    return GradientSum(
        of="activations" if training.strategy in TENSOR else "parameters" if is_average else "gradients",
        algorithm=row.chosen_algorithm or row.algorithm,
        time_us=sum(told.rows[0].time_us * count for told, count in found),
        pieces=sum(count for _, count in found),
        every_steps=training.sync_every if is_average else 1,
        source=largest.model,
    )


def _sizes(training: TrainingSpec) -> list[tuple[int, int]]:
    """Return how many bytes are summed how often, the largest first; nothing if the user's own files decide it."""
    if training.strategy in TENSOR:
        return sorted(training_size.activation_sums(training).items(), reverse=True)
    whole = training_size.gradient_bytes(training) or 0
    pieces, rest_bytes = divmod(whole, training.bucket_bytes)
    counted = [(training.bucket_bytes, pieces), (rest_bytes, 1 if rest_bytes else 0)]
    return [(size_bytes, count) for size_bytes, count in counted if count]


def _all_reduce(training: TrainingSpec, size_bytes: int, slots: Sequence[int], known: Table) -> library.Prediction:
    sweep = BenchmarkSpec(
        algorithms=[training.all_reduce],
        transport=training.transport,
        device=training.device,
        min_bytes=size_bytes,
        max_bytes=size_bytes,
    )
    return library.predict(sweep, slots, known)
