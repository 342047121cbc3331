"""Records of a strategy search, from rank 0: its candidates, and the beginning and the result of each run."""

import operator
from statistics import mean
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from ringscope.contracts.columns import Durations, Int32, Int64, Line, Microseconds, Name, is_null
from ringscope.contracts.record_model import RecordModel

MOST_CANDIDATES = 64
MOST_SUMS = 100  # different sizes and algorithms of the sums of a run

_Round = Annotated[int, Field(ge=0, lt=1_000)]
_Bytes = Annotated[float, Field(ge=0, le=2**63)]
_Epochs = Annotated[int, Field(ge=1, le=1_000_000)]
_Seconds = Annotated[float, Field(ge=0, le=1e9)]


def is_zero(value: object) -> bool:
    """Return whether a count is not known, so that it need not be written."""
    return value == 0


class LeftOutCandidate(BaseModel):
    """A candidate that cannot run on these ranks."""

    name: Name
    reason: Line


class MeasuredSum(BaseModel):
    """The time of one bucket's all-reduce during a run, by which ``auto`` chooses later."""

    algorithm: Name
    transport: Name = Field(description="The transport, named as in measurements.")
    size_bytes: Int64 = Field(gt=0)
    time_us: Microseconds = Field(
        gt=0, description="The median over the steps; of each step, the time of the rank that came last to the sum."
    )
    cores: Int32 | None = Field(
        None, description="The cores of the ranks, as in measurements; null: they compute on GPUs."
    )


class SearchPlan(RecordModel):
    """The candidates of a search. An attempt sends it first, then all runs of earlier attempts that it continues."""

    type: Literal["search_plan"] = "search_plan"
    rank: Int32
    candidates: Annotated[list[Name], Field(min_length=2, max_length=MOST_CANDIDATES)]
    left_out: Annotated[list[LeftOutCandidate], Field(max_length=MOST_CANDIDATES)] = Field(default_factory=list)


class SearchBegin(RecordModel):
    """A run of a candidate begins. If none of its results follow, the attempt ended during it."""

    type: Literal["search_begin"] = "search_begin"
    rank: Int32
    candidate: Name
    round: _Round = Field(0, description="The round of a short run.")
    epochs: _Epochs | None = Field(
        None, exclude_if=is_null, description="The epochs of a run to the target accuracy; null: it is a short run."
    )


class SearchRun(RecordModel):
    """The times of a run: means over its ranks and over the steps after those that warm up or try algorithms.

    The parts of a step are means over all timed steps and ranks; together they are the step's time.
    """

    type: Literal["search_run"] = "search_run"
    rank: Int32 = Field(0, description="The rank that tells it.")
    candidate: Name
    round: _Round = Field(description="Rounds are counted from 0; each candidate that is left runs once in each.")
    is_trial: bool = Field(
        False,
        exclude_if=operator.not_,
        description="Whether it only tells how long a step takes: the first run of a candidate, which is short and "
        "compared with nothing. false in all runs of earlier versions.",
    )
    samples: Int64 = Field(gt=0, description="Samples of a step, over all ranks.")
    blocks_us: Durations = Field(
        description="Mean time of a step in each block of timed steps, of the slowest rank. All timed steps are one "
        "block; earlier versions had several.",
    )
    compute_us: Microseconds
    input_us: Microseconds = Field(0.0, description="Waiting for samples.")
    exposed_us: Microseconds = Field(description="Waiting for sums, or for servers or other stages.")
    communication_us: Microseconds | None = Field(
        None, description="The sums of a step, also while a rank computes; null: an earlier version ran it."
    )
    exchanged_bytes: _Bytes = Field(
        description="Bytes that a rank gives to the exchange in a step, after compression: of gradients, activations "
        "or parameters; the mean over the ranks. An algorithm sends them once or several times."
    )
    steps: Int64 = Field(0, ge=0, exclude_if=is_zero, description="All steps of the run; 0: an earlier version ran it.")
    sent_bytes: _Bytes | None = Field(
        None,
        description="Bytes that a rank sent in the whole run, as counted where they were moved; the mean over the "
        "ranks. null: a library moved them that nobody counts.",
    )
    most_sent_bytes: _Bytes | None = Field(None, description="The same of the rank that sent most.")
    difference: Annotated[float, Field(ge=0)] | None = Field(
        None,
        exclude_if=is_null,
        description="The largest difference of a parameter after the run from that of one process after the same "
        "steps, as a part of the largest parameter; 0: all bits are equal. null: not compared.",
    )
    peak_bytes: Int64 | None = Field(
        None, description="Peak resident set of a rank's process during the run, the largest; null: not measured."
    )
    sums: Annotated[list[MeasuredSum], Field(max_length=MOST_SUMS)] = Field(
        default_factory=list,
        exclude_if=operator.not_,
        description="The all-reduces of a step by our algorithms; empty: others summed, or sums did not overlap with "
        "backward as they usually do.",
    )
    seconds: _Seconds = Field(description="Time of the whole run, with its start.")
    failure: Line = Field("", description="Why it failed, in a sentence; empty: it did not.")

    @property
    def time_us(self) -> float:
        """Return the mean time of a step, as the verdict counts it."""
        return mean(self.blocks_us)


class SearchTarget(RecordModel):
    """A run of some epochs to the target accuracy, by a candidate that was left after the rounds."""

    type: Literal["search_target"] = "search_target"
    rank: Int32 = Field(0, description="The rank that tells it.")
    candidate: Name
    epochs: _Epochs = Field(description="The epochs for which it trained, from the first parameters.")
    accuracy: Annotated[float, Field(ge=0, le=1)] | None = Field(
        None, description="The best on the held-out samples at an epoch's end."
    )
    seconds_to_target: _Seconds | None = Field(
        None, description="Time of the steps up to the first epoch that reached the accuracy; null: none did."
    )
    epochs_to_target: _Epochs | None = None
    steps_seconds: _Seconds = Field(0.0, description="Time of all steps.")
    seconds: _Seconds = Field(description="Time of the whole run, with its start and validation.")
    failure: Line = Field("", description="Why it failed, in a sentence; empty: it did not.")


SearchDone = SearchRun | SearchTarget
SearchTold = SearchPlan | SearchBegin | SearchDone
