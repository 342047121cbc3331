"""Specification of a benchmark job: a sweep over message sizes, timed with several algorithms side by side. Pure."""

import operator
from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal, get_args

from pydantic import Field, field_validator, model_validator

from ringscope.contracts.cluster import MAX_SIMULATED_RANKS, ClusterSpec
from ringscope.contracts.columns import is_null
from ringscope.contracts.spec_model import SpecModel
from ringscope.contracts.spec_model import at as _at
from ringscope.contracts.words.collectives import (
    AUTO,
    IN_CHANNELS,
    REDUCING,
    SCHEDULED,
    Algorithm,
    Collective,
    nameable,
)
from ringscope.contracts.words.devices import SIMULATED, Device, TransportName, settle
from ringscope.contracts.words.dtypes import GLOO_DTYPES, DType, Op, check_dtype, check_op

Average = Literal["rank0", "mean", "min", "max"]

AVERAGES: tuple[str, ...] = get_args(Average)
MAX_MESSAGE_BYTES = 1 << 36
MAX_ROWS = 100_000
MOST_ROUNDS = 100  # in which the algorithms take turns; more iterations make longer rounds
MOST_BATCHES = 5  # batches of iterations, from whose means the interval of a mean is computed
FEWEST_BATCHES = 3  # with which there is an interval
BATCH_ITERATIONS = 4  # at least
FEWEST_ITERATIONS = FEWEST_BATCHES * BATCH_ITERATIONS  # with which an algorithm can win
_USUAL_ALGORITHMS: tuple[Algorithm, ...] = ("ring", "direct", "mpi")


def rounds(iterations: int) -> list[int]:
    """Return the number of iterations of each round, in which every algorithm is timed once: 1 if they are few."""
    return _split(iterations, min(MOST_ROUNDS, iterations))


def batches(iterations: int) -> list[int]:
    """Return the number of iterations of each batch."""
    return _split(iterations, min(MOST_BATCHES, iterations // BATCH_ITERATIONS))


def _split(iterations: int, parts: int) -> list[int]:
    count = max(1, parts)
    return [iterations // count + (i < iterations % count) for i in range(count)]


def _usual_algorithms(device: object, transport: object) -> tuple[Algorithm, ...]:
    """Return two algorithms of ours, and the library that works on the same device and transport."""
    if transport in ("cuda_ipc", SIMULATED):
        return ("ring", "direct")
    on_gpus = transport == "nccl" or (device == "cuda" and transport != "mpi")
    return ("ring", "direct", "nccl") if on_gpus else _USUAL_ALGORITHMS


class BenchmarkSpec(SpecModel):
    """A sweep over message sizes: each size is timed with every algorithm, out of place and in place."""

    collective: Collective = Field("all_reduce", description="The collective to measure.")
    algorithms: tuple[Algorithm, ...] = Field(
        _USUAL_ALGORITHMS,
        min_length=1,
        max_length=len(get_args(Algorithm)),
        description="Algorithms to compare; at each size they are timed in turns.",
    )
    transport: TransportName = Field(
        "auto",
        description="How schedules move data; auto chooses NCCL on GPUs, shared memory on one node, else MPI. "
        "simulated moves no data: the cost model computes the times for the cluster in topology.",
    )
    topology: ClusterSpec | None = Field(None, description="The cluster that transport simulated models.")
    device: Device = Field(
        "auto",
        description="The device of the buffers; auto chooses GPUs if every rank has its own and all algorithms "
        "support them.",
    )
    channels: int | None = Field(
        None,
        ge=1,
        le=4096,
        exclude_if=is_null,
        description="Channels of rings and trees; each leaves a node through a different rank. null: on GPUs of "
        "several nodes, one per rank of the smallest node, else one.",
    )
    dtype: DType = "float32"
    op: Op = Field("sum", description="How values are combined, in the collectives that reduce.")
    root: int = Field(0, ge=0, description="The rank that broadcast sends from and reduce sends to.")
    min_bytes: int = Field(8, ge=0, le=MAX_MESSAGE_BYTES)
    max_bytes: int = Field(64 << 20, ge=0, le=MAX_MESSAGE_BYTES)
    step_factor: int | None = Field(2, ge=2, le=1024, description="Each size is the previous one times this factor.")
    step_bytes: int | None = Field(
        None, ge=1, le=MAX_MESSAGE_BYTES, description="Each size is the previous one plus this, instead of step_factor."
    )
    cycles: int = Field(1, ge=1, le=10_000, description="How often the whole sweep is repeated.")
    warmup: int = Field(
        5, ge=0, le=100_000, description="Untimed operations of each size; at least one runs before each timed block."
    )
    iterations: int = Field(20, ge=1, le=1_000_000, description="Timed iterations of each size.")
    aggregate: int = Field(
        1, ge=1, le=10_000, description="Operations in one timed iteration; times are per operation."
    )
    blocking: int = Field(
        0,
        ge=0,
        le=3,
        description="0: a rank continues by itself; on GPUs it enqueues all operations of a block and waits once. 1: "
        "wait for the result of each operation, then a barrier. 2: wait without a barrier. 3: a barrier after each "
        "iteration, outside its time. Operations in host memory always wait, so there 2 is the same as 0.",
    )
    registration: int = Field(
        0,
        ge=0,
        le=2,
        exclude_if=operator.not_,
        description="What NCCL knows of the buffers, over transport nccl. 0: nothing. 1: NCCL allocates them and they "
        "are registered with its communicator. 2: they are symmetric windows, which needs NCCL 2.27 or later.",
    )
    cuda_graph_launches: int = Field(
        0,
        ge=0,
        le=10_000,
        exclude_if=operator.not_,
        description="Capture the operations of a block as a CUDA graph, over transport nccl, and launch it as often: "
        "each iteration has the mean time of all launches. 0: no graph.",
    )
    average: Average = Field(
        "mean", description="How the ranks' times are combined into the time and the bandwidths of a row."
    )
    per_iteration: bool = Field(False, description="Report the time of every iteration.")
    skip_iterations: int = Field(
        0, ge=0, description="Leading iterations that are left out of min, max, percentiles and related statistics."
    )
    rotate: bool = Field(
        False,
        description="Each operation uses the next piece of memory, as in nccl-tests, so that caches do not hold its "
        "data; else all use the same piece.",
    )
    trace: bool = Field(
        False,
        description="Trace one more operation of each algorithm, transfer by transfer, after each size is timed; "
        "algorithms of libraries cannot be traced.",
    )
    check: bool = Field(
        True, description="Compare every element with the exact answer after each size; a simulation has none."
    )
    timeout_seconds: int = Field(
        300, ge=1, le=86_400, description="How long a rank waits for another one before it fails and names that rank."
    )

    @model_validator(mode="before")
    @classmethod
    def _usual_algorithms(cls, data: Any) -> Any:
        """Fill in the default algorithms that the collective has, if none are given."""
        if isinstance(data, dict) and "algorithms" not in data:
            known = nameable(data.get("collective", "all_reduce"))
            if known:
                usual = _usual_algorithms(data.get("device"), data.get("transport"))
                return data | {"algorithms": tuple(a for a in usual if a in known)}
        return data

    @model_validator(mode="before")
    @classmethod
    def _one_kind_of_step(cls, data: Any) -> Any:
        """Set step_factor to None if only step_bytes is given."""
        if isinstance(data, dict) and data.get("step_bytes") is not None and "step_factor" not in data:
            return data | {"step_factor": None}
        return data

    @field_validator("algorithms")
    @classmethod
    def _each_once(cls, algorithms: tuple[Algorithm, ...]) -> tuple[Algorithm, ...]:
        repeated = sorted(name for name, times in Counter(algorithms).items() if times > 1)
        if repeated:
            raise ValueError(f"{', '.join(repeated)} is named more than once; name each algorithm once.")
        return algorithms

    @field_validator("dtype", mode="before")
    @classmethod
    def _is_reduced(cls, dtype: Any) -> Any:
        if isinstance(dtype, str):
            check_dtype(dtype)
        return dtype

    @model_validator(mode="after")
    def _op_has_a_meaning(self) -> "BenchmarkSpec":
        if self.collective in REDUCING:
            try:
                check_op(self.op, self.dtype)
            except ValueError as error:
                raise _at(("op",), str(error), self.op) from error
        return self

    @model_validator(mode="after")
    def _collective_has_the_algorithms(self) -> "BenchmarkSpec":
        known = nameable(self.collective)
        for index, name in enumerate(self.algorithms):
            if name not in known:
                raise _at(
                    ("algorithms", index),
                    f"{self.collective} has no algorithm {name}; choose from {', '.join(known)}.",
                    name,
                )
        return self

    @model_validator(mode="after")
    def _gloo_has_the_dtype(self) -> "BenchmarkSpec":
        if "gloo" in self.algorithms and self.dtype not in GLOO_DTYPES:
            raise _at(
                ("algorithms", self.algorithms.index("gloo")),
                f"gloo does not support {self.dtype}; leave out gloo or choose one of {', '.join(GLOO_DTYPES)}.",
                "gloo",
            )
        return self

    @model_validator(mode="after")
    def _a_simulation_has_what_it_needs(self) -> "BenchmarkSpec":
        if not self.is_simulated:
            if self.topology is not None:
                raise _at(
                    ("topology",),
                    f"only transport simulated takes a described cluster, not {self.transport}; leave one out.",
                    self.topology,
                )
            return self
        if self.topology is None:
            raise _at(
                ("topology",),
                'a simulation needs a cluster; describe one, such as {"shape": "4x8", "link": "ib200"}.',
                None,
            )
        if (ranks := self.topology.ranks) > MAX_SIMULATED_RANKS:
            raise _at(
                ("topology", "shape"),
                f"{ranks} ranks are too many to simulate message by message; give {MAX_SIMULATED_RANKS} or fewer, "
                "or run `ringscope plan`.",
                self.topology.shape,
            )
        for index, name in enumerate(self.algorithms):
            if name not in SCHEDULED[self.collective]:
                raise _at(("algorithms", index), f"{name} has no schedule to simulate; leave it out.", name)
        if self.channels is not None:
            raise _at(
                ("channels",), "a simulation uses the channels of its cluster; set topology.channels.", self.channels
            )
        if self.device != "auto":
            raise _at(("device",), "a simulation runs on no device; leave it at auto.", self.device)
        return self

    @model_validator(mode="after")
    def _one_device_serves_all(self) -> "BenchmarkSpec":
        try:
            settle(self.device, self.transport, self.algorithms)
        except ValueError as error:
            raise _at(("device",), str(error), self.device) from error
        return self

    @model_validator(mode="after")
    def _something_can_be_followed(self) -> "BenchmarkSpec":
        if not self.trace:
            return self
        if not self.traced_algorithms:
            raise _at(
                ("trace",),
                f"{', '.join(self.algorithms)} has no schedule to trace; name one of "
                f"{', '.join(SCHEDULED[self.collective])}, or leave trace out.",
                self.trace,
            )
        if self.transport in ("nccl", "cuda_ipc"):
            raise _at(
                ("trace",),
                f"transport {self.transport} cannot be traced; choose another one, or leave trace out.",
                True,
            )
        return self

    @model_validator(mode="after")
    def _nccl_registers(self) -> "BenchmarkSpec":
        if self.registration and self.transport not in ("auto", "nccl"):
            raise _at(
                ("registration",),
                f"only transport nccl registers buffers, not {self.transport}; choose nccl, or give 0.",
                self.registration,
            )
        return self

    @model_validator(mode="after")
    def _a_graph_can_be_captured(self) -> "BenchmarkSpec":
        if not self.cuda_graph_launches:
            return self
        if self.transport not in ("auto", "nccl") or self.device == "cpu":
            where = "device cpu" if self.device == "cpu" else f"transport {self.transport}"
            remedy = f"{where} cannot be captured as a CUDA graph; choose transport nccl, or give 0."
        elif self.blocking or self.per_iteration:
            option = f"blocking {self.blocking}" if self.blocking else "per_iteration"
            remedy = f"operations of a CUDA graph are not waited for one by one; leave out {option}, or give 0."
        else:
            return self
        raise _at(("cuda_graph_launches",), remedy, self.cuda_graph_launches)

    @property
    def traced_algorithms(self) -> tuple[Algorithm, ...]:
        """Return the algorithms that have a schedule, including auto, which may choose one."""
        return tuple(name for name in self.algorithms if name == AUTO or name in SCHEDULED[self.collective])

    @property
    def goes_one_way(self) -> str:
        """Return an error sentence with alternatives if no algorithm can use channels; empty if one can or if auto
        may choose such a one.
        """
        some = [name for name in SCHEDULED[self.collective] if (self.collective, name) in IN_CHANNELS]
        if {AUTO, *some}.intersection(self.algorithms):
            return ""
        instead = f"name {' or '.join(some)}, or " if some else ""
        return f"nothing of {self.collective} goes in several by {' or '.join(self.algorithms)}; {instead}leave it out."

    @property
    def is_simulated(self) -> bool:
        """Return whether the times come from the cost model, with nothing measured or checked."""
        return self.transport == SIMULATED

    @property
    def settled_device(self) -> str:
        """Return ``device``, narrowed down by transport and algorithms if it is auto."""
        return settle(self.device, self.transport, self.algorithms)

    @model_validator(mode="after")
    def _range_is_not_empty(self) -> "BenchmarkSpec":
        if self.min_bytes > self.max_bytes:
            raise _at(
                ("min_bytes",),
                f"min_bytes {self.min_bytes} is larger than max_bytes {self.max_bytes}; "
                "lower min_bytes or raise max_bytes.",
                self.min_bytes,
            )
        return self

    @model_validator(mode="after")
    def _sizes_are_stepped_one_way(self) -> "BenchmarkSpec":
        if (self.step_factor is None) == (self.step_bytes is None):
            which = "neither is set" if self.step_bytes is None else "both are set"
            raise _at(("step_bytes",), f"sizes grow by step_bytes or by step_factor, but {which}; give one.", None)
        rows = self.measurement_count()
        if rows > MAX_ROWS:
            raise _at(
                ("step_bytes",) if self.step_bytes else ("cycles",),
                f"the sweep would have {rows} rows, but at most {MAX_ROWS} are kept; "
                + ("raise step_bytes or lower cycles." if self.step_bytes else "lower cycles."),
                self.step_bytes or self.cycles,
            )
        return self

    @model_validator(mode="after")
    def _some_iteration_counts(self) -> "BenchmarkSpec":
        if self.skip_iterations >= self.iterations:
            raise _at(
                ("skip_iterations",),
                f"{self.skip_iterations} of {self.iterations} iterations leave no iteration to report; "
                "lower skip_iterations or raise iterations.",
                self.skip_iterations,
            )
        return self

    def sizes(self) -> Iterator[int]:
        """Message sizes in bytes, as nccl-tests steps them: b, b·f, b·f² … or b, b+i, b+2i … up to e."""
        size = self.min_bytes
        while size <= self.max_bytes:
            yield size
            if self.step_factor is None:
                size += self.step_bytes or 1
            elif size == 0:  # zero times a factor would stay zero
                return
            else:
                size *= self.step_factor

    def size_count(self) -> int:
        """Return the number of sizes; computed without a list, which would be long for steps of one byte."""
        if self.step_bytes is not None:
            return (self.max_bytes - self.min_bytes) // self.step_bytes + 1
        return sum(1 for _ in self.sizes())

    def measurement_count(self) -> int:
        """Return the number of rows of the finished sweep: cycles x sizes x algorithms x (out of place, in place)."""
        return self.cycles * self.size_count() * len(self.algorithms) * 2
