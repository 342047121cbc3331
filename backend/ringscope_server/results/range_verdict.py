"""The verdict on a part of a sweep's sizes."""

import asyncio

from pydantic import BaseModel, Field
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.judging.comparison import SweepComparison
from ringscope.judging.verdict import SizeRange, explanation, fastest, verdict
from ringscope_server.results.queries import tally_of


class SizeFastest(BaseModel):
    """The fastest algorithms at one size, out of place."""

    size_bytes: int
    algorithms: list[str] = Field(
        description="The clear winner, or those that tie: no other one was measurably faster. Fastest first."
    )


class RangeVerdict(BaseModel):
    """The verdict on a part of the sizes."""

    min_bytes: int = Field(description="The smallest measured size in the range; 0 if there is none.")
    max_bytes: int = Field(description="The largest measured size in the range; 0 if there is none.")
    verdict: str = Field(description="The comparison of the algorithms at these sizes; empty if none was measured.")
    explanation: str = Field(description="The explanation at the size in the range that is nearest to 1 MiB.")
    fastest: list[SizeFastest] = Field(
        description="The fastest algorithms at each of these sizes at which several were timed. Empty if the verdict "
        "names no winner, as for wrong elements or too few iterations."
    )


async def of_attempt(session: AsyncSession, job_id: int, attempt_id: int | None, between: SizeRange) -> RangeVerdict:
    """Judge the stored comparison of an attempt or of an imported job; the verdict is empty without rows."""
    stored = await tally_of(session, job_id, attempt_id)
    return await asyncio.to_thread(_judged, SweepComparison.model_validate(stored or {}), between)


def _judged(comparison: SweepComparison, between: SizeRange) -> RangeVerdict:
    sizes = between.of(comparison.sizes())
    return RangeVerdict(
        min_bytes=min(sizes, default=0),
        max_bytes=max(sizes, default=0),
        verdict=verdict(comparison, between) if sizes else "",
        explanation=explanation(comparison, between) if sizes else "",
        fastest=[
            SizeFastest(size_bytes=size, algorithms=names) for size, names in fastest(comparison, between).items()
        ],
    )
