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
    """The bus bandwidth that no algorithm can pass."""

    busbw_gb_per_s: float
    because: str = Field(description="Which link it is, in a sentence.")


class Model(BaseModel):
    """What the cost model says of a sweep, and how far it can be trusted."""

    rows: list[PredictedRow]
    knees: list[PredictedKnee] = Field(description="Of the algorithms that reach theirs in the sweep.")
    source: str = Field(description="Where its parameters come from, in a sentence.")
    median_error: float | None = Field(
        description="Of the rows that it was fitted to: the median of abs(ln(model / measured)), 0.15 means 15 %; "
        "null: it was not fitted."
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
    buffer_bytes: int = Field(description="Of each rank: input and result of the largest message.")
    nodes: list[PlannedNode] = Field(description="Where the ranks would lie if the cluster were empty.")
    warnings: list[str] = Field(description="What would make the result less than it seems, a sentence each.")


class UsualRow(BaseModel):
    """What earlier good runs of the same row gave, in 1e9 bytes per second."""

    algorithm: str = Field(description="Of auto the one that it chose.")
    in_place: bool
    size_bytes: int
    median_gb_per_s: float
    least_gb_per_s: float
    runs: int


class Expectations(BaseModel):
    """What the rows of a benchmark can be held against."""

    model: Model | None = Field(description="null: nothing can be told yet, or the rows are the model's themselves.")
    limit: Limit | None = Field(description="null: no link's rate is known.")
    usual: list[UsualRow] = Field(description="Bus bandwidths; of rows with three good earlier runs at least.")
