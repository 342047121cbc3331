"""One short run of a candidate, as its ranks report it. Pure."""

from statistics import mean

from pydantic import Field

from ringscope.contracts.record_model import RecordModel

BLOCKS = 3  # timed blocks of steps in a run


class SearchRun(RecordModel):
    """The times of a run: means over its ranks, in blocks of steps after those that warm up.

    The parts of a step are means over all timed steps and ranks; together they are the step's time.
    """

    candidate: str
    round: int = Field(ge=0, description="Rounds are counted from 0; each candidate that is left runs once in each.")
    samples: int = Field(gt=0, description="Samples of a step, over all ranks.")
    blocks_us: list[float] = Field(description="Mean time of a step in each block, of the slowest rank.")
    compute_us: float = Field(ge=0)
    input_us: float = Field(0.0, ge=0, description="Waiting for samples.")
    exposed_us: float = Field(ge=0, description="Waiting for sums, or for servers or other stages.")
    sent_bytes: float = Field(ge=0, description="Bytes that a rank sends in a step, as counted; the mean over ranks.")
    peak_bytes: int | None = Field(None, description="Peak memory of a rank, the largest; null: not measured.")
    is_same: bool | None = Field(None, description="Same bits as one process after the run; null: not compared.")
    seconds: float = Field(ge=0, description="Time of the whole run, with its start.")
    failure: str = Field("", description="Why it failed, in a sentence; empty: it did not.")

    @property
    def time_us(self) -> float:
        """Return the mean time of a step."""
        return mean(self.blocks_us)
