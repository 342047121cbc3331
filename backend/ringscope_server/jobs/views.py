"""The API's views of jobs."""

from datetime import datetime
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, Field, model_validator

from ringscope.contracts.columns import is_null
from ringscope.contracts.job import JobSpec, StoredKind
from ringscope.contracts.words.job_states import JobState
from ringscope_server.insights.views import InsightView

Phase = Literal["assigned", "ready", "running", "ended", "quarantined", "clean"]


class Pending(BaseModel):
    """The reason for which a job waits."""

    reason: str
    sentence: str
    estimated_start: datetime | None = Field(
        None, description="The expected start if every job runs until its time limit; null far back in the queue."
    )
    position: int | None = Field(
        None, description="Position in the queue, 1 is next; rounded to 1 % behind the hundredth job."
    )


class Progress(BaseModel):
    """The progress of a job: rows of a sweep's table, or steps of training."""

    done: int
    total: int | None = Field(
        description="null until it is known; with a text, an own dataset or by_label, training knows it when the first "
        "epoch has ended."
    )


IsUnstable = Annotated[
    bool,
    Field(
        description="Its iterations differ so much that their mean says little: cv above 20 %, or p99 above 10 x p50."
    ),
]


class AlgorithmBest(BaseModel):
    """The best bus bandwidth of one algorithm, by the mean of its iterations."""

    algorithm: str
    transport: str = Field(description="The value simulated means that the bandwidth comes from the cost model.")
    busbw_gb_per_s: float
    size_bytes: int
    in_place: bool
    iterations: int | None = Field(
        None, description="Timed iterations of all cycles; null for jobs of earlier versions."
    )
    is_unstable: IsUnstable = False


class SizeBusbw(BaseModel):
    """The bus bandwidth at one size."""

    size_bytes: int
    busbw_gb_per_s: float
    is_unstable: IsUnstable = False


class ClearWinner(BaseModel):
    """Neighbouring sizes at which one algorithm clearly beats every other one, by the rule of the verdict."""

    algorithm: str
    in_place: bool
    min_bytes: int
    max_bytes: int


class SizesResult(BaseModel):
    """Neighbouring sizes with the same result out of place: a part of the verdict's first sentence."""

    algorithms: list[str] = Field(
        description="The fastest algorithm, or those that tie: no other one was measurably faster at any of the sizes."
    )
    is_fastest: bool = Field(description="Whether one algorithm clearly beats every other one at each of the sizes.")
    min_bytes: int
    max_bytes: int
    size_count: int = Field(description="How many of the measured sizes are in it.")


class BenchmarkSummary(BaseModel):
    """A benchmark in a few numbers."""

    kind: Literal["benchmark"] = "benchmark"
    best: list[AlgorithmBest] = Field(description="Best bus bandwidth per algorithm, fastest first.")
    sizes: list[SizeBusbw] = Field(
        [],
        description="Bus bandwidth of the fastest algorithm over sizes, ascending, in place or out of place like its "
        "best row. The mean where there are several cycles; at most 24 sizes. Empty also for jobs of "
        "earlier versions.",
    )
    min_size_p99_us: float | None = Field(
        None,
        description="The 99th percentile of the fastest algorithm at the smallest size; the largest of several cycles.",
    )
    min_size_iterations: int | None = Field(
        None,
        description="Timed iterations of all cycles in that row; null also for jobs of earlier versions.",
    )
    limit_gb_per_s: float | None = Field(
        None, description="The bus bandwidth that its links allow; null if it is not known."
    )
    ranks: int = Field(0, description="The ranks that were measured; 0 before the first row.")
    cores: int | None = Field(
        None,
        description="The physical cores of these ranks; fewer than ranks means that ranks shared cores. null if it is"
        " not known.",
    )
    lowered_max_bytes: int | None = Field(
        None,
        description="The largest size whose buffers fitted into memory; larger ones, up to the job's max_bytes, were "
        "left out. null: all sizes fitted.",
    )
    wrong: int = Field(description="Wrong elements over all checks.")
    winners: list[ClearWinner] = Field(
        [], description="The sizes with a clear winner; other sizes have none. Empty also for jobs of earlier versions."
    )
    results: list[SizesResult] = Field(
        [],
        description="The verdict's first sentence by ranges of sizes, ascending. Empty if it names no winner, as for "
        "one algorithm, wrong elements or too few iterations, and for jobs of earlier versions.",
    )
    same_messages: list[list[str]] = Field(
        [], description="Groups of its algorithms that send the same messages with so few ranks: expect no difference."
    )
    verdict: str = Field(description="One sentence that compares the algorithms; empty before there are rows.")
    explanation: str = Field(
        "",
        description="What the winner and the next algorithm send and over how many hops, counted in their schedules; "
        "without a winner, how certain each time is.",
    )


class TrainingSummary(BaseModel):
    """Training in a few numbers, over all attempts: a later one continues from a checkpoint."""

    kind: Literal["training", "script", "strategy_search", "diagnosis"] = "training"
    winner: str | None = Field(
        None, exclude_if=is_null, description="The candidate that won a search; null or left out: none has yet."
    )
    verdict: str | None = Field(
        None,
        exclude_if=is_null,
        description="How a search or a diagnosis stands, in a sentence; left out for other jobs.",
    )
    loss: float | None = Field(
        None,
        description="The loss over the training samples of the newest epoch; before that epoch ends, the loss of the "
        "last step of rank 0 (of the first worker with parameter servers). null also if it was not a "
        "finite number, which is_diverged says, and if a script reports none.",
    )
    is_diverged: bool = Field(False, description="Whether the newest loss was not a finite number.")
    validation_loss: float | None = Field(None, description="The loss on the held-out samples in the newest epoch.")
    validation_accuracy: float | None = Field(
        None, description="The accuracy on the held-out samples in the newest epoch, 0 to 1."
    )
    samples_per_second: float | None = Field(
        None,
        description="The samples per second of all ranks together during steps. These rates and times leave out the "
        "first step of each attempt, which warms up.",
    )
    step_seconds: float | None = Field(None, description="The mean over the ranks of the time spent in steps.")
    timed_steps: float | None = Field(
        None,
        description="The mean over the ranks of the steps that these times are of: the mean step took step_seconds / "
        "timed_steps. null if an earlier version summed them up.",
    )
    compute_seconds: float | None = Field(
        None, description="The part of step_seconds in which the mean rank computed; null like timed_steps."
    )
    communication_seconds: float | None = Field(
        None, description="The part of step_seconds in which gradients were being summed."
    )
    exposed_communication_seconds: float | None = Field(
        None,
        description="The part of communication_seconds in which the mean rank only waited for sums; null if no sum "
        "was observed, as inside TensorFlow, or if there was none, as with one rank.",
    )
    input_seconds: float | None = Field(
        None,
        description="The part of step_seconds in which the mean rank waited for its samples; null if it was not "
        "measured.",
    )
    epochs_done: int = 0
    steps_done: int = 0
    steps_total: int | None = Field(None, description="null until the first epoch has ended.")
    seconds_to_target: float | None = Field(
        None,
        description="The time of the epochs up to the first that reached target_accuracy, with validation and "
        "checkpoints; null if it was not reached or there is no target.",
    )
    scaling_efficiency: float | None = Field(
        None,
        description="samples_per_second divided by the rate of as many ranks at the speed of one rank alone; null if "
        "no job of one rank is comparable.",
    )
    scaling_baseline_job_id: int | None = Field(
        None,
        description="A succeeded job of one rank with the same strategy, model, data, device and precision: the newest "
        "one when this job ended, or the first one after it; an undisturbed one if there is one.",
    )
    ranks: int = Field(0, description="The ranks of the newest attempt that ran; 0 before that.")
    cores: int | None = Field(
        None,
        description="The physical cores of these ranks; fewer than ranks means that ranks shared cores. null if it is "
        "not known, or if the ranks may use GPUs.",
    )

    @model_validator(mode="before")
    @classmethod
    def _earlier_versions_knew_it_by_the_loss(cls, data: Any) -> Any:
        if isinstance(data, dict) and "is_diverged" not in data and data.get("kind", "training") == "training":
            return data | {"is_diverged": bool(data.get("steps_done")) and data.get("loss") is None}
        return data


Summary = Annotated[BenchmarkSummary | TrainingSummary, Field(discriminator="kind")]


class MemberView(BaseModel):
    """One node's part of a gang, and its progress."""

    node: str
    first_rank: int
    ranks: int = Field(description="It runs ranks first_rank to first_rank + ranks - 1.")
    phase: Phase
    ready_at: datetime | None = Field(description="When the node had finished its self-check; null if it has not.")
    running_at: datetime | None = Field(description="When all of its ranks had started and reported it.")
    ended_at: datetime | None
    clean_at: datetime | None = Field(description="When the node had proved that no process of the attempt was left.")
    clock_offset_seconds: float | None = Field(description="The node's clock minus the server's, in this attempt.")
    clock_error_seconds: float | None = Field(description="The largest possible error of clock_offset_seconds.")


class AttemptView(BaseModel):
    """One attempt to run the job: a gang of ranks on nodes."""

    id: int
    number: int
    nodes: list[str]
    members: list[MemberView] = Field(description="The node parts in rank order, like ``nodes``.")
    reason: str | None = Field(description="Why this try ended; null while it lasts.")
    message: str
    bad_node: str | None = Field(description="The node that is to blame; the next try goes elsewhere if it can.")
    bad_rank: int | None = Field(description="The first rank that ended, hung or had a wrong result, if it is known.")
    disturbed_by: str | None = Field(
        description="What else ran on its nodes meanwhile: ranks of another job, or other load. It then comes "
        "after undisturbed jobs among best values and counts less in baselines. null if nothing is known."
    )
    start_limit_seconds: float | None = Field(
        description="The limit of each part of its start, without what load and retries add; null unless a part took "
        "longer, and for attempts of earlier versions."
    )
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


JudgementKind = Literal["as_expected", "low", "above", "impossible", "unknown"]


def judgement_kind(word: str) -> JudgementKind:
    """Return the kind of a judgement by its word: "low by 5 %" is low."""
    first = word.partition(" ")[0]
    return "as_expected" if first == "as" else cast(JudgementKind, first)


class JobView(BaseModel):
    """A job: its specification, state and result."""

    id: int
    name: str
    kind: StoredKind
    state: JobState
    reason: str | None
    message: str
    advice: str = Field(description="What to do next; commands of the CLI are between backticks.")
    user: str
    created_at: datetime
    queued_at: datetime = Field(description="When it last entered the queue.")
    started_at: datetime | None
    finished_at: datetime | None
    spec: JobSpec
    priority: int
    labels: dict[str, str]
    note: str = Field(description="What people wrote about the job.")
    ranks: int = Field(
        description="The number of processes of the gang; of an elastic job those of its newest attempt."
    )
    is_adopted: bool = Field(
        False, description="Whether an imported job counts as a run of this cluster, because a user said so."
    )
    fewer_ranks: str = Field(
        description="A sentence of a running elastic job that has fewer ranks than it asks for: it says since when and "
        "why, and when the job may get more. It is empty for any other job."
    )
    revision: int = Field(description="The revision grows with each edit; the ETag is derived from it.")
    cloned_from: int | None = Field(description="The job that this one repeats, with or without changes.")
    schedule_id: int | None = Field(description="The schedule that submitted it.")
    not_before: datetime | None = Field(description="The time before which a retry does not start.")
    excluded_nodes: list[str] = Field(description="Nodes that a retry avoids if it can.")
    pending: Pending | None
    progress: Progress
    summary: Summary
    judgement: JudgementKind | None = Field(
        None,
        description="Whether the bandwidth of a succeeded benchmark or imported job was what was to be expected when "
        "it ended; GET /jobs/{id}/judgement says why. null: the job was not judged.",
    )
    attempts: list[AttemptView]
    insights: list[InsightView] = Field(description="The problems found in the job, oldest first, without evidence.")


class JobPage(BaseModel):
    """A page of jobs, newest first; pass ``next`` as ``cursor`` for the page after it."""

    items: list[JobView]
    next: str | None


class JobCounts(BaseModel):
    """Jobs by state, for the overview."""

    queued: int
    running: int
    finished: int
