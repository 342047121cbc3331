"""Jobs as the API shows them."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from ringscope.contracts.job import JobKind, JobSpec
from ringscope.contracts.job_states import JobState
from ringscope_server.insights.views import InsightView

Phase = Literal["assigned", "ready", "running", "ended", "quarantined", "clean"]


class Pending(BaseModel):
    """Why a job waits."""

    reason: str
    sentence: str
    estimated_start: datetime | None = Field(
        None, description="When the job starts if every job runs until its time limit; null far back in the queue."
    )
    position: int | None = Field(None, description="Its place in the queue; 1 is next. Behind the hundredth, to 1 %.")


class Progress(BaseModel):
    """How far a job is: rows of a sweep's table, or steps of training."""

    done: int
    total: int | None = Field(description="null: not known, as for training until its first epoch has ended.")


IsUnstable = Annotated[
    bool,
    Field(
        description="Its iterations differ so much that their mean says little: cv above 20 %, or p99 above 10 x p50."
    ),
]


class AlgorithmBest(BaseModel):
    """The best bus bandwidth of one algorithm, by the mean of its iterations."""

    algorithm: str
    transport: str = Field(description="simulated: the bandwidth is the cost model's.")
    busbw_gb_per_s: float
    size_bytes: int
    in_place: bool
    iterations: int | None = Field(None, description="Timed ones, of all cycles; null: of an earlier version.")
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


class BenchmarkSummary(BaseModel):
    """A benchmark in a few numbers."""

    kind: Literal["benchmark"] = "benchmark"
    best: list[AlgorithmBest] = Field(description="Best bus bandwidth per algorithm, fastest first.")
    sizes: list[SizeBusbw] = Field(
        [],
        description="Bus bandwidth of the fastest algorithm over sizes, ascending, in the place of its best row, of "
        "several cycles by their mean; of many sizes 24. Empty also for jobs of earlier versions.",
    )
    min_size_p99_us: float | None = Field(
        None, description="99th percentile of the same at the smallest size, of several cycles the largest."
    )
    min_size_iterations: int | None = Field(
        None,
        description="Timed iterations of the same, of all cycles; null also of earlier versions.",
    )
    limit_gb_per_s: float | None = Field(None, description="Bus bandwidth that its links allow; null: not known.")
    ranks: int = Field(0, description="Ranks that were measured; 0: no row yet.")
    cores: int | None = Field(
        None, description="Physical cores that they had: fewer than ranks means that they took turns. null: not known."
    )
    wrong: int = Field(description="Wrong elements over all checks.")
    winners: list[ClearWinner] = Field(
        [],
        description="Clear winners by range of sizes; at other sizes there is none. Empty also for jobs of earlier "
        "versions.",
    )
    verdict: str = Field(description="One sentence that compares the algorithms; empty before there are rows.")
    explanation: str = Field(
        "",
        description="What the winner sends and over how many hops, beside the next, counted in their schedules; "
        "without a winner how sure each time is.",
    )


class TrainingSummary(BaseModel):
    """Training in a few numbers, over all attempts: a later one goes on from a checkpoint."""

    kind: Literal["training", "script"] = "training"
    loss: float | None = Field(
        None,
        description="Loss on the training samples in the newest epoch; before its end that of the last step of rank 0 "
        "(with parameter servers of the first worker); null also where it was no finite number: training has diverged.",
    )
    validation_loss: float | None = Field(None, description="Loss on the held-out samples in the newest epoch.")
    validation_accuracy: float | None = Field(
        None, description="Accuracy on the held-out samples in the newest epoch, 0 to 1."
    )
    samples_per_second: float | None = Field(
        None,
        description="Time of all ranks together in steps; the first step of each attempt, which warms up, is in none "
        "of these rates and times.",
    )
    step_seconds: float | None = Field(None, description="The mean rank's time in steps.")
    communication_seconds: float | None = Field(None, description="The part of it while sums were under way.")
    exposed_communication_seconds: float | None = Field(
        None,
        description="The part of it in which the mean rank did nothing but wait for sums; null where no sum was "
        "seen, as inside of TensorFlow.",
    )
    epochs_done: int = 0
    steps_done: int = 0
    steps_total: int | None = Field(None, description="null: not known until the first epoch has ended.")
    seconds_to_target: float | None = Field(
        None,
        description="Time in the epochs up to the first that reached target_accuracy, with validation and checkpoints; "
        "null: not reached, or there is no target.",
    )
    scaling_efficiency: float | None = Field(
        None,
        description="samples_per_second, of what so many ranks would do if each did as much as one rank alone; null "
        "without such a job.",
    )
    scaling_baseline_job_id: int | None = Field(
        None, description="The newest succeeded job of one rank with the same strategy, model, data, device, precision."
    )


Summary = Annotated[BenchmarkSummary | TrainingSummary, Field(discriminator="kind")]


class MemberView(BaseModel):
    """One node's share of a gang, and how far it has come."""

    node: str
    first_rank: int
    ranks: int = Field(description="It runs ranks first_rank to first_rank + ranks - 1.")
    phase: Phase
    ready_at: datetime | None = Field(description="When the node had checked itself; null: it has not.")
    running_at: datetime | None = Field(description="When all of its ranks had said hello.")
    ended_at: datetime | None
    clean_at: datetime | None = Field(description="When no process of the attempt was left, proven.")
    clock_offset_seconds: float | None = Field(description="The node's clock minus the server's, in this attempt.")
    clock_error_seconds: float | None = Field(description="The offset is at most so far from the truth.")


class AttemptView(BaseModel):
    """One try at running the job: a gang of ranks on nodes."""

    id: int
    number: int
    nodes: list[str]
    members: list[MemberView] = Field(description="Members in rank order, as ``nodes``.")
    reason: str | None = Field(description="Why this try ended; null while it lasts.")
    message: str
    bad_node: str | None = Field(description="The node that is to blame; the next try goes elsewhere if it can.")
    bad_rank: int | None = Field(description="The rank that ended, hung or was wrong first, where it is known.")
    disturbed_by: str | None = Field(
        description="What else its nodes did meanwhile: another job's ranks, or other load. Its results are then "
        "excluded from best values and count less in baselines. null: nothing that is known."
    )
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class JobView(BaseModel):
    """A job: what was asked for, where it stands, what came out."""

    id: int
    name: str
    kind: JobKind
    state: JobState
    reason: str | None
    message: str
    advice: str = Field(description="What to do next, with commands of the CLI between backticks.")
    user: str
    created_at: datetime
    queued_at: datetime = Field(description="When it began to wait, for the last time.")
    started_at: datetime | None
    finished_at: datetime | None
    spec: JobSpec
    priority: int
    labels: dict[str, str]
    ranks: int = Field(description="Processes of the gang.")
    revision: int = Field(description="Grows with each edit; the ETag is made of it.")
    cloned_from: int | None = Field(description="The job that this one repeats, with or without changes.")
    schedule_id: int | None = Field(description="The schedule that submitted it.")
    not_before: datetime | None = Field(description="A retry waits until then.")
    excluded_nodes: list[str] = Field(description="A retry goes elsewhere if it can.")
    pending: Pending | None
    progress: Progress
    summary: Summary
    attempts: list[AttemptView]
    insights: list[InsightView] = Field(description="What was found wrong with it, oldest first; without evidence.")


class JobPage(BaseModel):
    """A page of jobs, newest first; pass ``next`` as ``cursor`` for the page after it."""

    items: list[JobView]
    next: str | None


class JobCounts(BaseModel):
    """Jobs by state, for the overview."""

    queued: int
    running: int
    finished: int
