"""Jobs as the API shows them."""

from datetime import datetime

from pydantic import BaseModel, Field

from ringscope.spec import JobKind, JobSpec
from ringscope_server.jobs.states import JobState


class Pending(BaseModel):
    """Why a job waits."""

    reason: str
    sentence: str
    estimated_start: datetime | None = None


class Progress(BaseModel):
    """How far a sweep is: rows of its table."""

    done: int
    total: int


class AlgorithmBest(BaseModel):
    """The best row of one algorithm."""

    algorithm: str
    transport: str = Field(description="simulated: the bandwidth is the cost model's.")
    busbw_gb_per_s: float
    size_bytes: int
    in_place: bool


class BenchmarkSummary(BaseModel):
    """A benchmark in a few numbers."""

    best: list[AlgorithmBest] = Field(description="Best bus bandwidth per algorithm, fastest first.")
    wrong: int = Field(description="Wrong elements over all checks.")
    verdict: str = Field(description="One sentence that compares the algorithms; empty before there are rows.")


class AttemptView(BaseModel):
    """One try at running the job: a gang of ranks on nodes."""

    id: int
    number: int
    nodes: list[str]
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
    user: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    spec: JobSpec
    priority: int
    labels: dict[str, str]
    pending: Pending | None
    progress: Progress
    summary: BenchmarkSummary
    attempts: list[AttemptView]


class JobPage(BaseModel):
    """A page of jobs, newest first; pass ``next`` as ``cursor`` for the page after it."""

    items: list[JobView]
    next: str | None


class JobCounts(BaseModel):
    """Jobs by state, for the overview."""

    queued: int
    running: int
    finished: int
