"""The cost of the sums of activations in a job's own steps, and what dividing the layers saves there."""

from collections.abc import Sequence
from statistics import mean

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.job import JobSpec
from ringscope.contracts.training import TENSOR, TrainingSpec
from ringscope.contracts.training import size as training_size
from ringscope.contracts.words.units import format_size, plural
from ringscope_server.db.models import Job, RankTotals
from ringscope_server.jobs.views import TrainingSummary
from ringscope_server.training.scaling import baseline_job
from ringscope_server.training.views import TensorCost


async def tensor_cost(session: AsyncSession, attempt_id: int | None, spec: JobSpec) -> TensorCost | None:
    """Return the cost and the saving of one attempt; None for a job of another strategy."""
    training = spec.training
    if training is None or training.strategy not in TENSOR:
        return None
    query = select(RankTotals).where(RankTotals.attempt_id == attempt_id, RankTotals.last_step > RankTotals.first_step)
    baseline = await _baseline(session, spec, training)
    return _cost(training, spec.ranks, list(await session.scalars(query)), baseline)


def _cost(
    training: TrainingSpec, ranks: int, totals: Sequence[RankTotals], baseline: tuple[int, float] | None
) -> TensorCost:
    sums, share = training_size.activation_sums(training), training_size.tensor_share(training)
    found = TensorCost(
        sums=sums.total(),
        sum_bytes=sum(size_bytes * count for size_bytes, count in sums.items()),
        divided_share=share,
        step_us=_mean_us(totals, "duration_us"),
        sum_us=_mean_us(totals, "exposed_us"),
        compute_us=_mean_us(totals, "compute_us"),
        alone_us=None,
        baseline_job_id=None,
        pays=None,
        sentence=None,
        reason=None,
    )
    if found.step_us is None or found.sum_us is None or found.compute_us is None or ranks == 1:
        return found
    if baseline is not None:
        found.baseline_job_id, found.alone_us = baseline
    else:  # one rank would also compute what the ranks divide, and would sum nothing
        found.alone_us = found.step_us - found.sum_us + found.compute_us * (1 / (share / ranks + 1 - share) - 1)
    found.pays = found.step_us < found.alone_us
    found.sentence = _sentence(found, found.step_us, found.sum_us, found.alone_us)
    found.reason = _reason(found, found.alone_us - (found.step_us - found.sum_us))
    return found


def _sentence(found: TensorCost, step_us: float, sum_us: float, alone_us: float) -> str:
    alone = f"one rank alone would take about {_ms(alone_us)}"
    if found.baseline_job_id is not None:
        alone = f"one rank alone took {_ms(alone_us)} (job {found.baseline_job_id})"
    pays = "pays" if found.pays else "does not pay"
    return f"Dividing the layers {pays} here: a step takes {_ms(step_us)}, {_ms(sum_us)} of it in sums, and {alone}."


def _reason(found: TensorCost, saved_us: float) -> str:
    saves = f"saves {_ms(saved_us)}" if saved_us > 0 else "saves nothing"
    return (
        f"A step has {plural(found.sums, 'sum')} of activations, together {format_size(found.sum_bytes)}, which no "
        f"computing hides. Dividing {found.divided_share:.0%} of the multiplications {saves}."
    )


def _mean_us(totals: Sequence[RankTotals], name: str) -> float | None:
    """Return the mean over the ranks of a time in a step."""
    if not totals:
        return None
    times_us: list[float] = [getattr(each, name) / (each.last_step - each.first_step) for each in totals]
    return mean(times_us)


async def _baseline(session: AsyncSession, spec: JobSpec, training: TrainingSpec) -> tuple[int, float] | None:
    """Return the newest job of one rank that trained the same, with its time for as many samples."""
    job_id = await baseline_job(session, spec)
    stored = await session.scalar(select(Job.summary).where(Job.id == job_id)) if job_id is not None else None
    rate = TrainingSummary.model_validate(stored).samples_per_second if stored else None
    return (job_id, training.global_batch_size / rate * 1e6) if job_id is not None and rate else None


def _ms(time_us: float) -> str:
    return f"{time_us / 1e3:.3g} ms"
