"""The API's views of training. JSON has no NaN: a loss that is not a finite number is null."""

from datetime import datetime

from pydantic import BaseModel, Field

from ringscope.contracts.columns import is_null
from ringscope.contracts.training.record import Direction, PipelineStep
from ringscope.search.verdict import CandidateResult

DIVERGED = "null: it was no finite number, training has diverged."


class EpochView(BaseModel):
    """The end of an epoch."""

    id: int
    attempt: int = Field(
        description="The number of the attempt that reported it; if an epoch was reported twice, the later attempt "
        "counts."
    )
    rank: int = Field(description="The rank that reported it: rank 0, or the first worker with parameter servers.")
    epoch: int = Field(description="The number of the epoch, from 1.")
    step: int = Field(description="The number of steps done at the end of the epoch.")
    training_loss: float | None = Field(description=f"Mean over the epoch's samples of all ranks; {DIVERGED}")
    validation_loss: float | None = Field(
        description="The mean over the held-out samples; null also if there are none or it was not a finite number."
    )
    validation_accuracy: float | None = Field(
        description="The share of the held-out samples (tokens for gpt) predicted correctly; null if there are none."
    )
    samples: int = Field(description="The samples of all ranks in this epoch.")
    duration_us: float = Field(description="The time of the epoch's steps, without validation and checkpoint.")
    validation_us: float
    checkpoint_us: float
    ended_at: datetime = Field(description="The end of the epoch by the node's clock.")


class EpochPage(BaseModel):
    """Epochs over all attempts, in the order they were stored."""

    items: list[EpochView]
    next: str | None


class Bucket(BaseModel):
    """One piece of the gradient, or with tensor one sum of activations; times count from the step's start."""

    bytes: int = Field(description="The bytes of its gradients before compression.")
    ready_us: float = Field(description="When all its gradients were ready.")
    start_us: float = Field(description="When its sum began.")
    end_us: float
    layer: str | None = Field(
        None,
        exclude_if=is_null,
        description="The layer whose output, or backward input, is summed, with strategy tensor.",
    )
    direction: Direction | None = Field(
        None, exclude_if=is_null, description="The pass in which it is summed, with strategy tensor."
    )


class RankBucketsView(BaseModel):
    """One step of one rank in detail: the newest that it reported."""

    rank: int
    step: int
    backward_us: float = Field(description="The end of the backward pass, from the step's start.")
    buckets: list[Bucket] = Field(description="The buckets in the order in which they were summed.")


class BucketList(BaseModel):
    """One entry for each rank that reported its buckets, in the order of the ranks."""

    items: list[RankBucketsView]


class CalledCollectiveView(BaseModel):
    """The calls of one collective of a script whose sizes are between a power of two and the next one."""

    collective: str = Field(
        description='Such as all_reduce. "all_reduce of DDP" are the buckets of DistributedDataParallel.'
    )
    least_bytes: int = Field(description="The smallest size of the class, a power of two; 0: no bytes, like a barrier.")
    mean_bytes: int = Field(description="The mean size of a call, which is the larger of its input and its result.")
    ranks: int = Field(description="The number of ranks that called it.")
    calls: int = Field(description="The number of calls of one rank; if ranks differ, of the rank with most calls.")
    bytes: int = Field(description="The bytes of all these calls together.")
    time_us: float | None = Field(
        description="The median over ranks of each rank's median time of a call. It includes the wait for late ranks. "
        "The time of a step's DDP sums is divided among its buckets in proportion to their bytes. null: not known, "
        "because the calls return before the end, as with async_op or on a GPU."
    )
    algbw_gb_per_s: float | None = Field(description="mean_bytes divided by time_us, in 1e9 bytes per second.")


class CalledCollectiveList(BaseModel):
    """The collectives that a script called through torch.distributed, those with most bytes first."""

    items: list[CalledCollectiveView]
    ranks: int = Field(description="The number of ranks that have reported their collectives.")


class RunningCandidate(BaseModel):
    """The run of a candidate that is going on, or in which the attempt ended."""

    name: str
    round: int = Field(description="The round of a short run, counted from 0.")
    epochs: int | None = Field(None, description="The epochs of a run to the target accuracy; null: it is a short run.")


class SearchView(BaseModel):
    """A strategy search: how its candidates stand, and the verdict in a sentence."""

    winner: str | None = Field(description="The only candidate that is left; null: none is clearly the fastest, yet.")
    sentence: str
    candidates: list[CandidateResult] = Field(description="The fastest first; those that left and are left out last.")
    runs: int = Field(description="Runs so far, those that failed too.")
    spent_seconds: float = Field(description="Time of all runs so far.")
    budget_seconds: float
    is_complete: bool = Field(description="Whether no run is missing.")
    running: RunningCandidate | None


class PipelineView(BaseModel):
    """The newest reported step of each rank of a pipeline, and the share of a step in which a stage is idle."""

    items: list[PipelineStep] = Field(description="One step for each rank, in the order of the ranks.")
    bubble: float | None = Field(
        description="The measured share, as the mean over stages and replicas; null until all stages reported a step."
    )
    ideal_bubble: float | None = Field(
        description="The share if all parts of the model took equally long and sending took no time; null for a job "
        "without a pipeline."
    )


class TensorCost(BaseModel):
    """The cost and the saving of dividing the layers over the ranks, in a step of strategy tensor; times are means."""

    sums: int = Field(description="The number of sums of activations in a step.")
    sum_bytes: int = Field(description="The bytes of all these sums, which every rank contributes.")
    divided_share: float = Field(description="The share of the model's multiplications that the ranks divide.")
    step_us: float | None = Field(description="The time of a step; null before the second step.")
    sum_us: float | None = Field(description="The time in which a rank waited for sums, and for slower ranks in them.")
    compute_us: float | None
    alone_us: float | None = Field(
        description="The time of a step on one rank alone: measured by the job baseline_job_id, otherwise estimated "
        "from compute_us and divided_share."
    )
    baseline_job_id: int | None = Field(
        description="The newest succeeded job of one rank that trained the same; null if there is none."
    )
    pays: bool | None = Field(description="Whether a step takes less time than on one rank alone.")
    sentence: str | None = Field(description="The comparison in a sentence; null if there is nothing to compare.")
    reason: str | None = Field(description="The sizes behind it, in a sentence or two; null without a comparison.")


class CurvePoint(BaseModel):
    """Some consecutive steps as one: means over all of their steps, of all ranks."""

    first_step: int
    last_step: int
    loss: float | None = Field(description="The mean over the samples of all ranks; null if none is finite.")
    samples_per_second: float | None = Field(
        description="The samples per second of all ranks together, in the time of the mean rank."
    )
    duration_us: float = Field(description="The mean duration of a rank's step.")
    compute_us: float = Field(description="The mean time in which a rank waited for neither samples nor sums.")
    communication_us: float = Field(description="The mean time in which sums were under way.")
    exposed_us: float = Field(description="The mean time in which the rank only waited for sums.")
    input_us: float | None = Field(
        description="The mean time in which the rank waited for its samples; null if no rank measured it."
    )
    memory_bytes: int | None = Field(
        description="The largest resident set of any rank; null if none was measured in these steps."
    )


class CurvePart(BaseModel):
    """The part of the curve from one attempt: a later one continues where its checkpoint stopped."""

    job_id: int = Field(description="This job, or a job whose checkpoint it was resumed from.")
    attempt: int
    first_step: int
    last_step: int


class TrainingCurve(BaseModel):
    """Training over all attempts, and the jobs it was resumed from; of a step reported twice the later
    attempt counts.
    """

    points: list[CurvePoint] = Field(
        description="The points in the order of the steps; all but the last cover equally many steps."
    )
    steps_per_point: int
    attempts: list[CurvePart] = Field(description="The steps that each attempt contributes.")
    epochs: list[EpochView] = Field(
        description="The epochs of this job in order; if there are more than points, equally spaced ones and the last."
    )
