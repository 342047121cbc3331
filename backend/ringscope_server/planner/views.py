"""What the planner answers."""

from pydantic import BaseModel, Field

from ringscope.contracts.cluster import ClusterSpec
from ringscope.cost.fit_document import FitDocument
from ringscope.cost.prices import Price
from ringscope.cost.sensitivity import Sensitivity


class PriceCell(BaseModel):
    """One size on one shape: all prices, and the least."""

    shape: str
    ranks: int
    size_bytes: int
    fastest: str | None = Field(
        description="The algorithm that does the whole collective in the least time; null for one rank, or for none."
    )
    limit_gb_per_s: float | None = Field(
        description="Bus bandwidth that no schedule of these ranks can pass on these links; null: of one rank."
    )
    results: list[Price]


class PriceTable(BaseModel):
    """Times of the cost model; nothing in it is measured."""

    collective: str
    cluster: ClusterSpec
    bandwidth_bytes_per_s: float = Field(
        description="Bandwidth between nodes; with parameters, that of the largest messages."
    )
    latency_s: float = Field(description="Latency of the same link.")
    cells: list[PriceCell] = Field(description="Shape by shape, the sizes as asked.")


class SensitivityList(BaseModel):
    """What each figure of the links does to the time of each algorithm."""

    size_bytes: int
    ranks: int
    factor: float
    items: list[Sensitivity]


class JobFit(FitDocument):
    """The cost model's parameters from the rows of a job; the same document as `ringscope fit --job N --json`."""

    job_id: int
    ranks: int = Field(description="Ranks that took part in the rows.")
    row_count: int
    left_out: list[str] = Field(description="Algorithms of the job that have no schedule, and so no price.")
    caveats: list[str] = Field(
        description="Why its rows may not tell the links: it failed, gave wrong results, was crowded or disturbed."
    )
