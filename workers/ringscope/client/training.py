"""Results of training jobs: epochs, the curve over all attempts, buckets of gradients."""

from ringscope.client.connection import Connection
from ringscope.client.view import Page, View


class Epoch(View):
    """The end of an epoch; a loss that was no finite number is None: training has diverged."""

    id: int
    attempt: int = 1
    epoch: int
    step: int
    training_loss: float | None
    validation_loss: float | None
    validation_accuracy: float | None
    samples: int
    duration_us: float
    validation_us: float = 0.0
    checkpoint_us: float = 0.0

    @property
    def samples_per_second(self) -> float | None:
        """Return the throughput of all ranks, without validation and checkpoint."""
        return self.samples / self.duration_us * 1e6 if self.duration_us else None


class CurvePoint(View):
    """Some consecutive steps as one: means over their steps and all ranks."""

    first_step: int
    last_step: int
    loss: float | None
    samples_per_second: float | None
    duration_us: float
    compute_us: float
    communication_us: float
    exposed_us: float


class CurvePart(View):
    """The steps of an attempt that count, the last one included; the job may be one that it went on from."""

    job_id: int
    attempt: int
    first_step: int
    last_step: int


class Curve(View):
    """Training curve over all attempts; for a step reported twice the later attempt counts."""

    points: list[CurvePoint]
    steps_per_point: int
    attempts: list[CurvePart]


class Bucket(View):
    """One piece of the gradient; times from the step's start."""

    bytes: int
    ready_us: float
    start_us: float
    end_us: float


class RankBuckets(View):
    """The newest step of a rank from inside."""

    rank: int
    step: int
    backward_us: float
    buckets: list[Bucket]


class TrainingRoutes(Connection):
    """/jobs/{id}/training, epochs and buckets."""

    def training_curve(self, job_id: int, points: int = 500) -> Curve:
        """Return loss, throughput and the parts of a step, in at most ``points`` points."""
        return Curve.read(self._get(f"/jobs/{job_id}/training", {"points": points}))

    def epochs(self, job_id: int) -> list[Epoch]:
        """Return every reported epoch, oldest first."""
        return [Epoch.read(item) for item in self._items(f"/jobs/{job_id}/epochs")]

    def epochs_after(self, job_id: int, cursor: str | None = None) -> Page[Epoch]:
        """A page of the job's epochs, oldest first."""
        page = self._page(f"/jobs/{job_id}/epochs", {"cursor": cursor})
        return Page([Epoch.read(item) for item in page.items], page.next)

    def buckets(self, job_id: int, attempt: int | None = None) -> list[RankBuckets]:
        """The newest step of each rank from inside; of the newest attempt if none is named."""
        page = self._page(f"/jobs/{job_id}/buckets", {"attempt": attempt})
        return [RankBuckets.read(item) for item in page.items]
