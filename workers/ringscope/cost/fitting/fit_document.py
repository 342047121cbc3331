"""A fit as JSON: what `ringscope fit --json` prints and `ringscope plan --fit` reads. Pure."""

from collections.abc import Sequence
from math import exp, inf

from pydantic import BaseModel, Field

from ringscope.contracts.words.devices import SIMULATED, usual_channels
from ringscope.cost.fitting.fit import Fit
from ringscope.cost.fitting.measured_rows import MeasuredRow
from ringscope.cost.fitting.regimes import Regime

_MOST = 1e6  # seconds


class RegimeFigures(BaseModel):
    """Parameters for messages below a size; see ``parameters.Regime``."""

    below_bytes: float | None = Field(description="null: of any size above the regime before.")
    latency_s: float = Field(ge=0, le=_MOST, description="α, of a message between nodes (or any two ranks).")
    send_s_per_byte: float = Field(ge=0, le=_MOST, description="β, of the same link.")
    reduce_s_per_byte: float | None = Field(ge=0, le=_MOST, description="γ; null where adding is part of β.")
    intra_latency_s: float | None = Field(ge=0, le=_MOST, description="α inside a node; null: all links are equal.")
    intra_send_s_per_byte: float | None = Field(ge=0, le=_MOST, description="β inside a node.")

    def regime(self) -> Regime:
        """Return the regime for the cost model."""
        return Regime(**self.model_dump() | {"below_bytes": self.below_bytes or inf})


class Residual(BaseModel):
    """One measured row, and the model's time for it."""

    collective: str
    algorithm: str
    ranks: int
    size_bytes: int
    measured_us: float
    model_us: float
    log_ratio: float = Field(description="ln(model / measured); 0.15 means 15 %.")


class FitDocument(BaseModel):
    """Parameters, their source, and how well they describe it; ``residuals`` start with the worst row."""

    version: int = Field(1, ge=1, le=1)
    transport: str = Field(description="What moved the data; simulated: nothing did.")
    ranks_per_node: int = Field(description="1: all links are equal.")
    nics_per_node: int | None
    regimes: tuple[RegimeFigures, ...] = Field(min_length=1)
    median_error: float
    r_squared: float
    residuals: list[Residual]
    caveats: list[str] = Field(
        [],
        description="Reasons to doubt the fit: its rows failed, had wrong elements, were crowded or disturbed.",
    )

    @property
    def is_of_processes(self) -> bool:
        """Return whether the ranks used CPUs, where rings and trees have one channel by default."""
        return self.transport != SIMULATED and usual_channels((2, 2), self.transport) == 1

    def parameters(self) -> tuple[Regime, ...]:
        """Return the regimes for the cost model."""
        return tuple(regime.regime() for regime in self.regimes)


def document(found: Fit, transport: str, caveats: Sequence[str] = ()) -> FitDocument:
    """Build the document of a fit."""
    return FitDocument(
        version=1,
        transport=transport,
        ranks_per_node=found.nodes.ranks_per_node,
        nics_per_node=found.nodes.nics_per_node,
        regimes=tuple(_figures(regime) for regime in found.regimes),
        median_error=found.median_error,
        r_squared=found.r_squared,
        residuals=[residual(row, log_ratio) for row, log_ratio in found.worst(len(found.rows))],
        caveats=list(caveats),
    )


def residual(row: MeasuredRow, log_ratio: float) -> Residual:
    """Return a row with the model's time."""
    return Residual(
        collective=row.collective,
        algorithm=row.algorithm,
        ranks=row.ranks,
        size_bytes=row.size_bytes,
        measured_us=row.p50_us,
        model_us=row.p50_us * exp(log_ratio),
        log_ratio=log_ratio,
    )


def _figures(regime: Regime) -> RegimeFigures:
    return RegimeFigures(
        below_bytes=None if regime.below_bytes == inf else regime.below_bytes,
        latency_s=regime.latency_s,
        send_s_per_byte=regime.send_s_per_byte,
        reduce_s_per_byte=regime.reduce_s_per_byte,
        intra_latency_s=regime.intra_latency_s,
        intra_send_s_per_byte=regime.intra_send_s_per_byte,
    )
