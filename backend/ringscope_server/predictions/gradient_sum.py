"""The cost model's prediction of a step's gradient sum, or of an average of parameters by local_sgd.

It takes processor time, so it runs in a process without tables.
"""

from collections.abc import Sequence

from ringscope.choice import prediction as library
from ringscope.contracts import training_size
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.training import LOCAL_SGD, TrainingSpec
from ringscope.contracts.tuning import Table
from ringscope_server.predictions.views import GradientSum


def gradient_sum(ranks: int, training: TrainingSpec, slots: Sequence[int], known: Table) -> GradientSum | None:
    """Predict the sum of one step, piece by piece; None if the model does not know the algorithm of the sum."""
    if ranks == 1 or not training.uses_all_reduce or training.compression != "none":
        return None
    whole = training_size.gradient_bytes(training)
    pieces, rest_bytes = divmod(whole, training.bucket_bytes)
    counted = [(training.bucket_bytes, pieces), (rest_bytes, 1 if rest_bytes else 0)]
    found = [(_all_reduce(training, size_bytes, slots, known), count) for size_bytes, count in counted if count]
    if any(not told.rows for told, _ in found):
        return None
    (largest, _), *_ = found
    row = largest.rows[0]
    return GradientSum(
        algorithm=row.chosen_algorithm or row.algorithm,
        time_us=sum(told.rows[0].time_us * count for told, count in found),
        pieces=sum(count for _, count in found),
        every_steps=training.sync_every if training.strategy in LOCAL_SGD else 1,
        source=largest.model,
    )


def _all_reduce(training: TrainingSpec, size_bytes: int, slots: Sequence[int], known: Table) -> library.Prediction:
    sweep = BenchmarkSpec(
        algorithms=[training.all_reduce],
        transport=training.transport,
        device=training.device,
        min_bytes=size_bytes,
        max_bytes=size_bytes,
    )
    return library.predict(sweep, slots, known)
