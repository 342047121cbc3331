"""The comparison of jobs without a common size, as the API shows it."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from ringscope.judging.overlap import overlaps
from ringscope.judging.two_jobs import FASTEST, Timed


class Interpolated(BaseModel):
    """The comparison with the base job for an algorithm and placement of which both measured no common size."""

    algorithm: str = Field(description=f"{FASTEST}: the one that took the least time at each size.")
    in_place: bool
    sentence: str = Field(description="The comparison as a sentence.")
    base_min_bytes: int = Field(description="The smallest size that the base job measured.")
    base_max_bytes: int = Field(description="The largest size that the base job measured.")
    min_bytes: int | None = Field(description="The smallest size in the range of both jobs; null if none is.")
    max_bytes: int | None = Field(description="The largest size in the range of both jobs; null if none is.")
    ratio_least: float | None = Field(
        description="The smallest ratio of the times in that range, this job's divided by the base job's. One of the "
        "times is interpolated between measured sizes, linearly in the logarithms; there is no interval."
    )
    ratio_most: float | None = Field(description="The largest ratio of the times in that range.")


def interpolated(base_id: int, base: Sequence[Timed], job_id: int, run: Sequence[Timed]) -> list[Interpolated]:
    """Compare a job with the base job where they have no size in common."""
    return [
        Interpolated(
            algorithm=one.algorithm,
            in_place=one.in_place,
            sentence=one.sentence(f"Job {job_id}", f"job {base_id}"),
            base_min_bytes=one.base_range[0],
            base_max_bytes=one.base_range[1],
            min_bytes=min(one.ratios, default=None),
            max_bytes=max(one.ratios, default=None),
            ratio_least=min(one.ratios.values(), default=None),
            ratio_most=max(one.ratios.values(), default=None),
        )
        for one in overlaps(base, run)
    ]
