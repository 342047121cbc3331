"""Predicted time and bandwidth of jobs, and comparisons of benchmarks."""

from collections.abc import Mapping, Sequence
from typing import Any

from ringscope.client.connection import Connection
from ringscope.client.view import View


class PredictedRow(View):
    """One row of a sweep out of place, by the cost model."""

    algorithm: str
    size_bytes: int
    time_us: float
    busbw_gb_per_s: float


class Model(View):
    """Rows predicted by the cost model, and the source of its parameters."""

    rows: list[PredictedRow]
    source: str
    median_error: float | None = None


class Prediction(View):
    """Predicted time and bandwidth of a benchmark, before it is submitted."""

    model: Model
    operations_seconds: float | None
    buffer_bytes: int
    warnings: list[str] = []


class GradientSum(View):
    """The all-reduce of one step's gradient, by the cost model."""

    algorithm: str
    time_us: float
    pieces: int
    source: str


class BaselineTraining(View):
    """Throughput of the newest comparable training job."""

    job_id: int
    samples_per_second: float
    steps_seconds: float | None


class TrainingPrediction(View):
    """Predicted cost of training, before it is submitted."""

    parameters: int
    gradient_bytes: int
    steps_total: int | None
    gradient_sum: GradientSum | None
    baseline: BaselineTraining | None


class BaselineRow(View):
    """Median bandwidth of earlier good runs of the same row."""

    algorithm: str
    in_place: bool
    size_bytes: int
    median_gb_per_s: float
    runs: int


class JobPrediction(View):
    """The prediction for the rows of a benchmark, and the baseline of earlier runs."""

    model: Model | None
    baseline: list[BaselineRow]


class Against(View):
    """A row compared with the base job's row of the same algorithm, size and placement."""

    ratio: float
    ratio_low: float | None
    ratio_high: float | None
    noise: float

    @property
    def is_clear(self) -> bool:
        """Return whether the ratio's 95 % interval excludes 1."""
        return self.ratio_low is not None and self.ratio_high is not None and not self.ratio_low <= 1 <= self.ratio_high


class ComparedRow(View):
    """One algorithm at one size and placement."""

    algorithm: str
    size_bytes: int
    in_place: bool
    time_us: float
    is_unstable: bool
    against: Against | None


class Standing(View):
    """One job compared with the base job in one figure, the ratio of both times; with obstacles there is none."""

    job_id: int
    obstacles: list[str]
    algorithm: str | None
    size_bytes: int | None
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None


class Standings(View):
    """Benchmarks compared with a base job, in one figure each."""

    base: int
    jobs: list[Standing]


class ComparedJob(View):
    """One job compared with the base job; with obstacles its rows do not measure the same thing."""

    job_id: int
    obstacles: list[str]
    rows: list[ComparedRow]


class Comparison(View):
    """Benchmarks compared with a base job."""

    base: int
    jobs: list[ComparedJob]


class PredictionRoutes(Connection):
    """/jobs/prediction, that of training, /jobs/{id}/prediction, /comparison and /comparison/standings."""

    def predict_job(self, body: Mapping[str, Any]) -> Prediction:
        """Predict the time and bandwidth of a benchmark; nothing is submitted."""
        # a POST, since a specification is too long for a query; it changes nothing
        response = self._send("POST", "/jobs/prediction", is_repeatable=True, json=dict(body))
        return Prediction.read(self._body(response))

    def predict_training(self, body: Mapping[str, Any]) -> TrainingPrediction:
        """Predict training: its gradient, the all-reduce of it, and the speed of a comparable job."""
        response = self._send("POST", "/jobs/prediction/training", is_repeatable=True, json=dict(body))
        return TrainingPrediction.read(self._body(response))

    def job_prediction(self, job_id: int, attempt: int | None = None) -> JobPrediction:
        """Return the prediction for the rows of a job, and their baseline."""
        return JobPrediction.read(self._get(f"/jobs/{job_id}/prediction", {"attempt": attempt}))

    def comparison(self, job_ids: Sequence[int], base: int | None = None) -> Comparison:
        """Compare benchmarks with one of them, the first if none is named."""
        return Comparison.read(self._get("/comparison", {"job": job_ids, "base": base}))

    def standings(self, job_ids: Sequence[int], base: int | None = None) -> Standings:
        """Compare in one figure each: the ratio of both times at the size nearest to 1 MiB."""
        return Standings.read(self._get("/comparison/standings", {"job": job_ids, "base": base}))
