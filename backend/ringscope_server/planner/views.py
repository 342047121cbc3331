"""The planner's answers."""

from pydantic import BaseModel, Field

from ringscope.contracts.cluster import ClusterSpec
from ringscope.cost.fitting.fit_document import FitDocument
from ringscope.cost.prices import Price
from ringscope.cost.sensitivity import Sensitivity


class PriceCell(BaseModel):
    """One size on one shape: all prices, and the lowest."""

    shape: str
    ranks: int
    size_bytes: int
    fastest: str | None = Field(
        description="The algorithm that does the whole collective in the least time; null for one rank, or for none."
    )
    limit_gb_per_s: float | None = Field(
        description="The bus bandwidth that no schedule of these ranks can exceed on these links; null for one rank."
    )
    results: list[Price]
    answer: str = Field(
        description="The fastest algorithm, a slower one and the reason as a sentence, as `ringscope plan` prints it. "
        "N is the number of ranks, K the size on each."
    )


class PriceTable(BaseModel):
    """Times of the cost model; nothing in it is measured."""

    collective: str
    cluster: ClusterSpec
    bandwidth_bytes_per_s: float = Field(
        description="The bandwidth between nodes; with parameters, that of the largest messages."
    )
    latency_s: float = Field(description="The latency of the same link.")
    cells: list[PriceCell] = Field(description="The cells shape by shape, with the sizes in the requested order.")


class SensitivityList(BaseModel):
    """The effect of each figure of the links on the time of each algorithm."""

    size_bytes: int
    ranks: int
    factor: float
    items: list[Sensitivity]


class JobFit(FitDocument):
    """The cost model's parameters from the rows of a job; the same document as `ringscope fit --job N --json`."""

    job_id: int
    ranks: int = Field(description="The number of ranks in the rows.")
    row_count: int
    left_out: list[str] = Field(description="Algorithms of the job that have no schedule and therefore no price.")
    caveats: list[str] = Field(
        description="Why its rows may misrepresent the links: it failed, gave wrong results, shared cores or was "
        "disturbed."
    )
