"""What a job should reach, as the API shows it."""

from pydantic import BaseModel, ConfigDict, Field


class PredictedRow(BaseModel):
    """One row of a sweep out of place, by the cost model; rates in 1e9 bytes per second."""

    model_config = ConfigDict(from_attributes=True)

    algorithm: str
    chosen_algorithm: str | None = Field(description="What auto would take; null for an algorithm named by the job.")
    size_bytes: int
    time_us: float
    algbw_gb_per_s: float
    busbw_gb_per_s: float


class PredictedKnee(BaseModel):
    """Where an algorithm stops waiting for latency and begins to wait for bytes, by the cost model."""

    model_config = ConfigDict(from_attributes=True)

    algorithm: str
    size_bytes: float = Field(description="Half of its time is latency there; of a ring α·n·B.")


class Limit(BaseModel):
    """The bus bandwidth that no schedule of these ranks can pass; what adds in the switches, as NVLS does, may."""

    busbw_gb_per_s: float
    because: str = Field(description="Which link it is, in a sentence.")


class Model(BaseModel):
    """What the cost model says of a sweep, and how far it can be trusted."""

    rows: list[PredictedRow]
    knees: list[PredictedKnee] = Field(description="Knees of the algorithms that reach theirs in the sweep.")
    source: str = Field(description="The source of its parameters, in a sentence.")
    median_error: float | None = Field(
        description="Median of abs(ln(model / measured)) over the rows that it was fitted to, 0.15 means 15 %; null: "
        "it was not fitted."
    )
    unpredicted: list[str] = Field(description="Algorithms that it does not know here.")


class PlannedNode(BaseModel):
    """A node's part of the ranks."""

    node: str
    ranks: int


class Prediction(BaseModel):
    """What a benchmark would take and reach, before it is submitted."""

    model: Model
    limit: Limit | None = Field(description="null: no link's rate is known.")
    operations_seconds: float | None = Field(
        description="All operations of the sweep; starting ranks and comparing results come on top. null: not known."
    )
    buffer_bytes: int = Field(description="Buffers of each rank: input and result of the largest message.")
    nodes: list[PlannedNode] = Field(description="Nodes that would run the ranks if the cluster were empty.")
    warnings: list[str] = Field(description="What would make the result less than it seems, a sentence each.")


class GradientSum(BaseModel):
    """The all-reduce of one step's gradient, by the cost model, as if nothing else ran meanwhile."""

    algorithm: str = Field(description="The algorithm; of auto the one that it would take for the largest piece.")
    time_us: float = Field(description="Time of all pieces in a row; what overlaps with backward is not waited for.")
    pieces: int = Field(description="The gradient is summed in so many, by bucket_bytes.")
    source: str = Field(description="The source of the model's parameters, in a sentence.")


class UsualTraining(BaseModel):
    """What the newest job reached that trained the same in the same way on as many ranks."""

    job_id: int
    samples_per_second: float
    steps_seconds: float | None = Field(
        description="All steps of this job at that speed, without validation and checkpoints; null: steps not known."
    )


class TrainingPrediction(BaseModel):
    """What training would take, before it is submitted."""

    parameters: int = Field(description="Numbers that are trained.")
    gradient_bytes: int = Field(description="What every rank has to add up in a step.")
    steps_total: int | None = Field(description="null: not known, as of a text whose files only the nodes have.")
    gradient_sum: GradientSum | None = Field(
        description="null: one rank has nothing to sum, and the model does not know other people's sums, parameter "
        "servers and compressed gradients."
    )
    usual: UsualTraining | None = Field(description="null: nothing alike has succeeded yet.")
    nodes: list[PlannedNode] = Field(description="Nodes that would run the ranks if the cluster were empty.")
    warnings: list[str] = Field(description="What would keep it from running there, a sentence each.")


class UsualRow(BaseModel):
    """What earlier good runs of the same row gave, in 1e9 bytes per second."""

    algorithm: str = Field(description="The algorithm; of auto the one that it chose.")
    in_place: bool
    size_bytes: int
    median_gb_per_s: float
    least_gb_per_s: float
    runs: int
    is_disturbed: bool = Field(False, description="Something else disturbed some of these runs, which agree.")


class Expectations(BaseModel):
    """What the rows of a benchmark can be held against."""

    model: Model | None = Field(description="null: nothing can be told yet, or the rows are the model's themselves.")
    limit: Limit | None = Field(description="null: no link's rate is known.")
    usual: list[UsualRow] = Field(description="Bus bandwidths; of rows with three good earlier runs at least.")
