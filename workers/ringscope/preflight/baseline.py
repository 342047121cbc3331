"""The baseline of a machine: what it reached while it was healthy, as a file keeps it. Pure."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ringscope.preflight.intervals import Interval

_Rate = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Span(BaseModel):
    """An interval of a rate in GB/s, over all parts of the measurement."""

    model_config = ConfigDict(extra="forbid")

    low: _Rate
    high: _Rate

    @model_validator(mode="after")
    def _is_ordered(self) -> "Span":
        if self.low > self.high:
            raise ValueError("low is above high")
        return self

    @property
    def interval(self) -> Interval:
        """Return it as an interval."""
        return Interval(self.low, self.high)


class Baseline(BaseModel):
    """Rates of one machine in GB/s by name, and the rates of its network cards in Gbit/s."""

    model_config = ConfigDict(extra="forbid")

    format: Literal[1] = 1
    hardware: str = Field(description="Processor, cores and NumPy; measurements of others are not comparable.")
    made_at: datetime
    rates: dict[str, Span]
    cards: dict[str, _Rate] = {}
