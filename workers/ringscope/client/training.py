"""Results of training jobs: epochs, the curve over all attempts, buckets of gradients."""

from ringscope.client.connection import Connection
from ringscope.client.view import Page
from ringscope.client.views import training as views
from ringscope.client.views.training import CalledCollectives, Curve, Pipeline, RankBuckets, Search, TensorCost


class Epoch(views.Epoch):
    """The end of an epoch; a loss that was no finite number is None: training has diverged."""

    @property
    def samples_per_second(self) -> float | None:
        """Return the throughput of all ranks, without validation and checkpoint."""
        return self.samples / self.duration_us * 1e6 if self.duration_us else None


class TrainingRoutes(Connection):
    """/jobs/{id}/training, epochs, buckets, collectives, pipeline, tensor and search."""

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

    def pipeline(self, job_id: int, attempt: int | None = None) -> Pipeline:
        """Return the newest step of each rank of a pipeline, and the bubble; by default of the newest attempt."""
        return Pipeline.read(self._get(f"/jobs/{job_id}/pipeline", {"attempt": attempt}))

    def tensor_cost(self, job_id: int, attempt: int | None = None) -> TensorCost:
        """Return what dividing the layers costs and saves in each step; by default of the newest attempt."""
        return TensorCost.read(self._get(f"/jobs/{job_id}/tensor", {"attempt": attempt}))

    def search(self, job_id: int, attempt: int | None = None) -> Search:
        """Return how the candidates of a strategy search stand; by default in the newest attempt."""
        return Search.read(self._get(f"/jobs/{job_id}/search", {"attempt": attempt}))

    def buckets(self, job_id: int, attempt: int | None = None) -> list[RankBuckets]:
        """The newest step of each rank from inside; of the newest attempt if none is named."""
        page = self._page(f"/jobs/{job_id}/buckets", {"attempt": attempt})
        return [RankBuckets.read(item) for item in page.items]

    def collectives(self, job_id: int, attempt: int | None = None) -> CalledCollectives:
        """Return the collectives that a script called, by size; by default in the newest attempt."""
        return CalledCollectives.read(self._get(f"/jobs/{job_id}/collectives", {"attempt": attempt}))
