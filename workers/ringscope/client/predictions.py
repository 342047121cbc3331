"""Predicted time and bandwidth of jobs, and comparisons of benchmarks."""

from collections.abc import Mapping, Sequence
from typing import Any

from ringscope.client.connection import Connection
from ringscope.client.views.predictions import (
    Comparison,
    JobPrediction,
    Prediction,
    Regressions,
    SearchForecast,
    SearchPreview,
    Standings,
    TrainingPrediction,
)


class PredictionRoutes(Connection):
    """/jobs/prediction and its kinds, /jobs/{id}/prediction, /comparison and its parts."""

    def predict_job(self, body: Mapping[str, Any]) -> Prediction:
        """Predict the time and bandwidth of a benchmark; nothing is submitted."""
        # a POST, since a specification is too long for a query; it changes nothing
        response = self._send("POST", "/jobs/prediction", is_repeatable=True, json=dict(body))
        return Prediction.read(self._body(response))

    def predict_training(self, body: Mapping[str, Any]) -> TrainingPrediction:
        """Predict training: its gradient, the all-reduce of it, and the speed of a comparable job."""
        response = self._send("POST", "/jobs/prediction/training", is_repeatable=True, json=dict(body))
        return TrainingPrediction.read(self._body(response))

    def preview_search(self, body: Mapping[str, Any]) -> SearchPreview:
        """Return which candidates of a strategy search would run on the current nodes, and why others would not."""
        response = self._send("POST", "/jobs/prediction/strategy_search", is_repeatable=True, json=dict(body))
        return SearchPreview.read(self._body(response))

    def search_forecast(self, job_id: int, attempt: int | None = None) -> SearchForecast:
        """Return what the cost model expects of the sums of a search's candidates."""
        return SearchForecast.read(self._get(f"/jobs/{job_id}/search/forecast", {"attempt": attempt}))

    def job_prediction(self, job_id: int, attempt: int | None = None) -> JobPrediction:
        """Return the prediction for the rows of a job, and their baseline."""
        return JobPrediction.read(self._get(f"/jobs/{job_id}/prediction", {"attempt": attempt}))

    def comparison(self, job_ids: Sequence[int], base: int | None = None) -> Comparison:
        """Compare benchmarks with one of them, the first if none is named."""
        return Comparison.read(self._get("/comparison", {"job": job_ids, "base": base}))

    def standings(self, job_ids: Sequence[int], base: int | None = None) -> Standings:
        """Compare in one figure each: the ratio of both times at the size nearest to 1 MiB."""
        return Standings.read(self._get("/comparison/standings", {"job": job_ids, "base": base}))

    def regressions(self) -> Regressions:
        """Return the algorithms that took clearly longer in the last 24 hours than in the 24 hours before."""
        return Regressions.read(self._get("/comparison/regressions"))
