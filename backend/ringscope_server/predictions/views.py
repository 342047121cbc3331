"""The API's views of a job's expected bandwidth and duration."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ringscope.contracts.search.record import LeftOutCandidate
from ringscope_server.results.baseline import MIN_RUNS


class PredictedRow(BaseModel):
    """One row of a sweep out of place, by the cost model; rates in 1e9 bytes per second."""

    model_config = ConfigDict(from_attributes=True)

    algorithm: str
    chosen_algorithm: str | None = Field(
        description="The algorithm that auto would choose; null for an algorithm that the job names."
    )
    size_bytes: int
    time_us: float
    algbw_gb_per_s: float
    busbw_gb_per_s: float


class PredictedKnee(BaseModel):
    """The size at which an algorithm changes from latency-bound to bandwidth-bound, by the cost model."""

    model_config = ConfigDict(from_attributes=True)

    algorithm: str
    size_bytes: float = Field(description="The size at which latency is half of the time; α·n·B for a ring.")


class Limit(BaseModel):
    """The bus bandwidth that no schedule of these ranks can exceed; reduction in the switches, as with NVLS, may exceed
    it.
    """

    busbw_gb_per_s: float
    because: str = Field(description="A sentence that names the limiting link.")


class Model(BaseModel):
    """The cost model's prediction of a sweep, and its known error."""

    rows: list[PredictedRow]
    knees: list[PredictedKnee] = Field(description="The knees of the algorithms that reach theirs within the sweep.")
    source: str = Field(description="A sentence that names the source of its parameters.")
    median_error: float | None = Field(
        description="The median of abs(ln(model / measured)) over the rows that it was fitted to; 0.15 means 15 %. "
        "null if it was not fitted."
    )
    unfitted: list[str] = Field(
        description="The algorithms that are priced with parameters from another machine: no comparable job has run "
        "undisturbed here yet."
    )
    unpredicted: list[str] = Field(description="The algorithms that the model cannot predict here.")


class PlannedNode(BaseModel):
    """A node's part of the ranks."""

    node: str
    ranks: int


class Prediction(BaseModel):
    """The predicted duration and bandwidth of a benchmark, before it is submitted."""

    model: Model
    limit: Limit | None = Field(description="null: no link's rate is known.")
    operations_seconds: float | None = Field(
        description="The time of all operations of the sweep, without starting ranks and comparing results. null if "
        "it is not known."
    )
    buffer_bytes: int = Field(description="The bytes of each rank's input and result buffers for the largest message.")
    nodes: list[PlannedNode] = Field(
        description="The nodes on which the ranks would run beside the jobs that run now, else on an empty cluster."
    )
    warnings: list[str] = Field(description="Sentences about what would make the result worth less than it seems.")


class GradientSum(BaseModel):
    """The all-reduces of a step: as earlier jobs measured them, otherwise by the cost model, as if nothing else ran."""

    of: Literal["gradients", "parameters", "activations"] = Field(
        "gradients", description="What is summed: gradients, with local_sgd parameters, with tensor activations."
    )

    algorithm: str = Field(description="The algorithm; for auto, the one that it would choose for the largest piece.")
    time_us: float = Field(
        description="The time of all pieces one after another; overlap with the backward pass is not subtracted. A "
        "step of tensor waits for all of it."
    )
    pieces: int = Field(
        description="The number of sums: the pieces of the gradient, by bucket_bytes, or the sums of activations."
    )
    every_steps: int = Field(1, description="The number of steps with one such sum: 1, or sync_every of local_sgd.")
    source: str = Field(
        description="A sentence that names the source of the largest piece's time: earlier jobs, or the model's "
        "parameters."
    )


class BaselineTraining(BaseModel):
    """The speed of the newest job that trained the same in the same way on as many ranks, or searched its strategy."""

    job_id: int
    samples_per_second: float
    steps_seconds: float | None = Field(
        description="The time of all steps of this job at that speed, without validation and checkpoints; null if the"
        " number of steps is not known."
    )


class TrainingPrediction(BaseModel):
    """The prediction of a training job, before it is submitted."""

    parameters: int | None = Field(description="The number of trained parameters; null: own files decide it.")
    gradient_bytes: int | None = Field(
        description="The bytes that every rank adds up in each step; null: own files decide it."
    )
    steps_total: int | None = Field(
        description="The number of steps; null if it is not known, as for a text whose files only the nodes have."
    )
    ideal_bubble: float | None = Field(
        None,
        description="The share of a step in which each stage of a pipeline is idle, if all parts of the model take"
        " equally long; null for other strategies.",
    )
    gradient_sum: GradientSum | None = Field(
        description="null for one rank, which has nothing to sum, and for what the model does not know: sums of other"
        " libraries, pipelines, parameter servers and compressed gradients."
    )
    baseline: BaselineTraining | None = Field(description="The newest comparable job; null if none has succeeded yet.")
    usual: BaselineTraining | None = Field(
        description="The earlier name of baseline.", json_schema_extra={"deprecated": True}
    )
    nodes: list[PlannedNode] = Field(
        description="The nodes on which the ranks would run beside the jobs that run now, else on an empty cluster."
    )
    warnings: list[str] = Field(description="Sentences about what would keep it from running there.")


class SearchPreview(BaseModel):
    """The candidates of a strategy search, before it is submitted."""

    candidates: list[str] = Field(description="The candidates that would run, in the order of their first runs.")
    left_out: list[LeftOutCandidate]
    nodes: list[PlannedNode] = Field(
        description="The nodes on which the ranks would run beside the jobs that run now, else on an empty cluster."
    )
    warnings: list[str] = Field(description="Sentences about what would keep it from running there.")


class CandidateForecast(BaseModel):
    """The sums of a candidate's step, as earlier jobs measured them, otherwise by the cost model."""

    name: str
    sums_us: float = Field(description="All sums of a step one after another, as if nothing else ran.")
    algorithm: str = Field(description="The algorithm; for auto, the one that it would choose for the largest piece.")


class SearchForecast(BaseModel):
    """The forecast for the candidates of a search, by what was known before the search."""

    candidates: list[CandidateForecast] = Field(
        description="It lacks candidates that the model does not know: sums of other libraries, pipelines, parameter "
        "servers and compressed gradients."
    )
    source: str = Field(description="A sentence that names the source of the first one's time; empty: no candidate.")


class BaselineRow(BaseModel):
    """The bandwidth of earlier good runs of the same row, in 1e9 bytes per second."""

    algorithm: str = Field(description="The algorithm; for auto, the one that it chose.")
    in_place: bool
    size_bytes: int
    median_gb_per_s: float
    least_gb_per_s: float
    runs: int
    is_disturbed: bool = Field(
        False, description="Whether other load or jobs disturbed some of these runs, which agree nevertheless."
    )


class JobPrediction(BaseModel):
    """The prediction for the rows of a benchmark, the limit of the slowest link, and the baseline of earlier runs."""

    model: Model | None = Field(
        description="What the cost model predicts; null if there is no prediction yet, or the rows come from the "
        "model itself."
    )
    limit: Limit | None = Field(description="null: no link's rate is known.")
    baseline: list[BaselineRow] = Field(description="The bus bandwidths of rows with at least three good earlier runs.")
    best_row_runs: int | None = Field(
        None,
        description="How many good earlier runs measured the row with the job's best bus bandwidth. null: the job has "
        "no such row, or auto chose its algorithm.",
    )
    needed_runs: int = Field(MIN_RUNS, description="How many good earlier runs a row needs for a baseline.")


class Expectations(BaseModel):
    """The earlier form of a job's prediction."""

    model: Model | None
    limit: Limit | None
    usual: list[BaselineRow] = Field(description="The earlier name of baseline.")
