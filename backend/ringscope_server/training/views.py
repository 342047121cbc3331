"""Training as the API shows it. JSON knows no NaN: a loss that is no finite number is null."""

from datetime import datetime

from pydantic import BaseModel, Field

DIVERGED = "null: it was no finite number, training has diverged."


class EpochView(BaseModel):
    """The end of an epoch."""

    id: int
    attempt: int = Field(description="Number of the attempt that told it; of an epoch told twice the later one counts.")
    rank: int = Field(description="The rank that reported it: rank 0, or the first worker of parameter servers.")
    epoch: int = Field(description="Number of the epoch, counted from 1.")
    step: int = Field(description="Steps done when it ended.")
    training_loss: float | None = Field(description=f"Mean over the epoch's samples of all ranks; {DIVERGED}")
    validation_loss: float | None = Field(
        description="Mean over the held-out samples; null also where there are none, or it was no finite number."
    )
    validation_accuracy: float | None = Field(
        description="Share of the held-out samples (of gpt: tokens) told right; null: there are none."
    )
    samples: int = Field(description="Samples of all ranks in this epoch.")
    duration_us: float = Field(description="Time of the epoch's steps, without validation and checkpoint.")
    validation_us: float
    checkpoint_us: float
    ended_at: datetime = Field(description="When the epoch ended, by the node's clock.")


class EpochPage(BaseModel):
    """Epochs over all attempts, in the order they were stored."""

    items: list[EpochView]
    next: str | None


class Bucket(BaseModel):
    """One piece of the gradient; times count from the step's start."""

    bytes: int = Field(description="Bytes of the gradients, before compression.")
    ready_us: float = Field(description="All its gradients were there.")
    start_us: float = Field(description="Its sum began.")
    end_us: float


class RankBucketsView(BaseModel):
    """One step of one rank from inside: the newest that it told."""

    rank: int
    step: int
    backward_us: float = Field(description="End of the backward pass, from the step's start.")
    buckets: list[Bucket] = Field(description="Buckets in the order in which they were summed.")


class BucketList(BaseModel):
    """One entry for each rank that told its buckets, in the order of the ranks."""

    items: list[RankBucketsView]


class CurvePoint(BaseModel):
    """Some consecutive steps as one: means over all of their steps, of all ranks."""

    first_step: int
    last_step: int
    loss: float | None = Field(description="Mean over the samples of all ranks; null: there is no finite one.")
    samples_per_second: float | None = Field(description="Samples of all ranks together, in the time of the mean rank.")
    duration_us: float = Field(description="Mean time of a step of a rank.")
    compute_us: float
    communication_us: float = Field(description="Sums were under way.")
    exposed_us: float = Field(description="The rank did nothing but wait for them.")


class CurvePart(BaseModel):
    """What one attempt adds to the curve: a later one goes on where its checkpoint stopped."""

    job_id: int = Field(description="This job, or one whose checkpoint it went on from.")
    attempt: int
    first_step: int
    last_step: int


class TrainingCurve(BaseModel):
    """Training over all attempts, and the jobs it was resumed from; of a step told twice the later attempt counts."""

    points: list[CurvePoint] = Field(
        description="Points in the order of the steps; all but the last cover equally many."
    )
    steps_per_point: int
    attempts: list[CurvePart] = Field(description="Which attempt which steps are from.")
    epochs: list[EpochView] = Field(
        description="Epochs of this job in their order; where there are more than points, equally spaced ones and the "
        "last."
    )
