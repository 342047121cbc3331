"""Records of training only: the inside of a step, the end of an epoch, and numbers that are not finite."""

import operator
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ringscope.contracts.columns import (
    FEW,
    Counts,
    Durations,
    Int32,
    Int32s,
    Int64,
    Int64s,
    Line,
    Loss,
    Microseconds,
    Name,
    Nanoseconds,
    TimedMicroseconds,
    is_null,
)
from ringscope.contracts.record_model import RecordModel

Activity = Literal["forward", "backward", "send", "wait"]
Direction = Literal["forward", "backward"]
DivergedAt = Literal["samples", "output", "gradient"]


class Buckets(RecordModel):
    """One step of one rank from inside: when each bucket of gradients was ready, and when its sum began and ended.

    Only the last step of a block is reported. Times count from the step's start; every array has one entry per bucket,
    in the order in which they were summed. With strategy tensor a bucket is what one sum of activations adds.
    """

    type: Literal["buckets"] = "buckets"
    rank: Int32
    step: int = Field(ge=0, lt=2**31)
    backward_us: Microseconds = Field(description="End of the backward pass.")
    bytes: Int64s = Field(description="Bytes of the gradients, before compression.")
    ready_us: Durations
    start_us: Durations
    end_us: Durations
    layer: Annotated[list[Line], FEW] | None = Field(
        None,
        exclude_if=is_null,
        description="The layer whose output, or backward input, is summed, with strategy tensor.",
    )
    direction: Annotated[list[Direction], FEW] | None = Field(
        None, exclude_if=is_null, description="The pass in which it is summed, with strategy tensor."
    )

    @model_validator(mode="after")
    def _columns_are_equally_long(self) -> "Buckets":
        named = [column for column in (self.layer, self.direction) if column is not None]
        columns = [self.bytes, self.ready_us, self.start_us, self.end_us, *named]
        if len({len(column) for column in columns}) != 1:
            raise ValueError("every column of a buckets record needs one entry per bucket")
        return self


class Collectives(RecordModel):
    """The collectives of torch.distributed that a rank of a script has called until now; a later record replaces it.

    Every array has one entry per collective and class of sizes. A class begins at a power of two of bytes and ends
    before the next one.
    """

    type: Literal["collectives"] = "collectives"
    rank: Int32
    name: Annotated[list[Name], FEW] = Field(description="Such as all_reduce, or all_reduce of DDP.")
    least_bytes: Counts = Field(description="Least size of the class; 0: the collective has no bytes.")
    calls: Counts
    bytes: Counts = Field(description="Bytes of all calls; those of the larger side of each.")
    time_us: Annotated[list[TimedMicroseconds | None], FEW] = Field(
        description="Median time of a call, within 1 %; null: not known, because the calls return before the end."
    )

    @model_validator(mode="after")
    def _columns_are_equally_long(self) -> "Collectives":
        if len({len(column) for column in (self.name, self.least_bytes, self.calls, self.bytes, self.time_us)}) != 1:
            raise ValueError("every column of a collectives record needs one entry per class of sizes")
        return self


class PipelineStep(RecordModel):
    """Activities of one rank of a pipeline in one step. Only some steps are reported, equal ones by all stages.

    Every array has one entry per activity, in the order of their start; times count from ``start_ns``. A ``send`` lasts
    until its memory may be used again, beside other activities. A ``wait`` is for what another stage sends.
    """

    type: Literal["pipeline_step"] = "pipeline_step"
    rank: Int32
    step: int = Field(ge=0, lt=2**31)
    stage: Int32
    replica: Int32
    peak_activations: Int32 = Field(
        description="Most micro-batches of which the rank kept activations at a time, counted for each of its parts."
    )
    start_ns: Nanoseconds
    kind: Annotated[list[Activity], FEW]
    part: Int32s = Field(description="Part of the model, counted from 0; stage s computes parts s, s + stages, ….")
    micro_batch: Int32s
    start_us: Durations
    end_us: Durations

    @model_validator(mode="after")
    def _columns_are_equally_long(self) -> "PipelineStep":
        if len({len(column) for column in (self.kind, self.part, self.micro_batch, self.start_us, self.end_us)}) != 1:
            raise ValueError("every column of a pipeline_step record needs one entry per activity")
        return self


def measured_bubble(stages: Sequence[PipelineStep]) -> float | None:
    """Return the mean share of a step in which a stage of one replica is idle; None unless all are of the same step.

    The step lasts from the first start of any stage to the last end; idle is all except forward and backward.
    """
    if len({told.step for told in stages}) != 1 or any(not told.start_us for told in stages):
        return None
    first_ns = min(told.start_ns for told in stages)
    start_us = min((told.start_ns - first_ns) / 1e3 + min(told.start_us) for told in stages)
    end_us = max((told.start_ns - first_ns) / 1e3 + max(told.end_us) for told in stages)
    busy_us = sum(
        end - start
        for told in stages
        for kind, start, end in zip(told.kind, told.start_us, told.end_us, strict=True)
        if kind in ("forward", "backward")
    )
    span_us = len(stages) * (end_us - start_us)
    return max(0.0, 1 - busy_us / span_us) if span_us else None


class Epoch(RecordModel):
    """The end of an epoch of a training job, from rank 0 (with parameter servers from the first worker)."""

    type: Literal["epoch"] = "epoch"
    rank: Int32
    epoch: Int32 = Field(description="Number of the epoch, counted from 1.")
    step: Int32 = Field(description="Steps done when it ended.")
    training_loss: Loss = Field(description="Mean over the epoch's samples of all ranks.")
    validation_loss: Loss | None = Field(description="Mean over the held-out samples; null where there are none.")
    validation_accuracy: float | None = Field(
        description="Share of held-out samples (tokens for gpt) predicted correctly."
    )
    samples: Int64 = Field(description="Samples of all ranks in this epoch.")
    duration_us: Microseconds = Field(description="Time of the epoch's steps, without validation and checkpoint.")
    validation_us: Microseconds
    checkpoint_us: Microseconds
    time_ns: Nanoseconds


class AlgorithmChanged(RecordModel):
    """A change of the algorithm that sums some buckets, which ``auto`` made while the job trained; from rank 0."""

    type: Literal["algorithm_changed"] = "algorithm_changed"
    rank: Int32
    step: int = Field(ge=0, lt=2**31, description="Index of the first step with the other algorithm.")
    buckets: Int32 = Field(description="Number of buckets, all of similar size.")
    size_bytes: Int64 = Field(description="Size of the largest of them.")
    before: Name
    after: Name
    because: Line

    @property
    def sentence(self) -> str:
        """Describe the change and its reason in one sentence."""
        return f"From step {self.step} on {self.after} sums instead of {self.before}. {self.because}"


class Diverged(RecordModel):
    """The first numbers of a training that were not finite: a rank's loss, a gradient, or parameters."""

    type: Literal["diverged"] = "diverged"
    rank: Int32
    what: Literal["loss", "gradient", "parameters"]
    step: int = Field(ge=0, lt=2**31, description="Index of the step; parameters are as of its end.")
    loss: Loss | None = Field(None, description="Loss of the rank in this step.")
    at: DivergedAt | None = Field(
        None,
        exclude_if=is_null,
        description="The first numbers of the rank's step that were not finite: its samples, a layer's output or a "
        "layer's gradient. null: not known; for a gradient, each rank's own is finite when it is computed again.",
    )
    layer: Line | None = Field(
        None, exclude_if=is_null, description="The layer; null where it is the loss itself, or not known."
    )
    is_skipped: bool = Field(
        False, exclude_if=operator.not_, description="Whether the step was skipped, so that it changed no parameters."
    )

    @property
    def sentence(self) -> str:
        """Describe the divergence in one sentence."""
        found = self._found()
        if self.is_skipped:
            return f"Step {self.step} was skipped: {found}."
        return f"The training diverged: {'after' if self.what == 'parameters' else 'in'} step {self.step} {found}."

    def _found(self) -> str:
        if self.what == "parameters":
            return f"rank {self.rank} has parameters that are not finite"
        if self.at == "samples":
            return f"rank {self.rank} read samples that are not finite"
        layer = f"layer {self.layer}" if self.layer else "the model"
        if self.at == "gradient":
            return f"the gradient of rank {self.rank} was not finite, first that of {layer}"
        if self.what == "loss" or self.at == "output":
            first = f", and the output of {layer} was the first that was not finite" if self.layer else ""
            loss = "not finite" if self.loss is None else self.loss
            return f"the loss of rank {self.rank} was {loss}{first}"
        return (
            "the sum of the gradients was not finite, but each rank's gradient is when it is computed again; suspect "
            "the memory of a rank, or the link"
        )
