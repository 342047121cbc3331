"""Specification of a job: immutable, submitted by a person, a script or the web form.

Server, agent, CLI and rank share these models. The error messages for a job are written here and in ``field_errors``,
so that the REST API, the form and the terminal show the same sentences.
"""

from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field, model_validator

from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.elastic import refusal
from ringscope.contracts.spec_model import SpecModel
from ringscope.contracts.spec_model import at as _at
from ringscope.contracts.traced import MAX_OPERATION_PAIRS, MAX_OPERATIONS, MAX_RANKS
from ringscope.contracts.training import ONE_NODE, ScriptSpec, TrainingSpec
from ringscope.contracts.words.devices import SIMULATED, too_many_channels
from ringscope.contracts.words.labels import Labels, bounded

JobKind = Literal["benchmark", "training", "script"]
Arrangement = Literal["pack", "spread"]


_JOINER = "\u200d"  # occurs inside many emoji


def _readable(name: str) -> str:
    """Remove invisible characters, which would make one name look like another; names of earlier jobs stay valid."""
    return "".join(letter for letter in name if letter.isprintable() or letter == _JOINER).strip()


JobName = Annotated[str, Field(max_length=200), AfterValidator(_readable)]


def _without_default(schema: dict[str, Any]) -> None:
    """Remove the default from the schema: it depends on other fields, and the description states it."""
    del schema["default"]


class Placement(SpecModel):
    """Number of ranks, and the nodes that may run them."""

    ranks: int = Field(
        2,
        ge=1,
        le=65_536,
        description="Processes in the gang; each occupies one slot. A simulation is one process, however many ranks "
        "it simulates.",
    )
    min_ranks: int | None = Field(
        None,
        ge=1,
        le=65_536,
        description="Makes a training job elastic: it runs on as many slots as are free, at least on this many. "
        "After the loss of a rank or node it continues at once with fewer ranks. null: always with all ranks.",
    )
    ranks_per_node: int | None = Field(
        None, ge=1, le=4096, description="The job runs exactly this many ranks on each node."
    )
    nodes: int | None = Field(None, ge=1, le=4096, description="The job runs on exactly this many nodes.")
    node_names: list[Annotated[str, Field(min_length=1, max_length=200)]] = Field(
        [], max_length=4096, description="The job runs on all of these nodes and on no others; empty: any nodes."
    )
    selector: Labels = Field(default_factory=dict, description="Labels that a node must carry.")
    exclusive: bool = Field(
        False,
        description="No other job runs on its nodes. Default: true for a measured benchmark, else false.",
        json_schema_extra=_without_default,
    )
    arrangement: Arrangement = Field(
        "pack",
        description="pack uses as few nodes as possible, spread as many as possible; nodes or ranks_per_node sets an "
        "exact number.",
    )
    same_rack: bool = Field(False, description="All nodes have the same label rack.")
    quiet: bool = Field(
        False,
        description="The job starts only while its nodes are quiet: their load average is at most 0.5, or the setting "
        "most_other_load_percent of their cores. A node that reports no load counts as quiet.",
    )
    gpu_model: str | None = Field(
        None, max_length=200, description="Part of the model's name of every GPU of its nodes, such as H200."
    )
    min_gpu_memory_bytes: int | None = Field(
        None, ge=1, description="Each GPU of its nodes has at least this much memory."
    )
    min_memory_bytes: int | None = Field(None, ge=1, description="Each of its nodes has at least this much memory.")

    @model_validator(mode="after")
    def _numbers_agree(self) -> "Placement":
        if self.ranks_per_node and self.ranks % self.ranks_per_node:
            raise _at(
                ("ranks_per_node",),
                f"{self.ranks} ranks cannot be split into {self.ranks_per_node} on each node; "
                "choose a divisor of ranks.",
                self.ranks_per_node,
            )
        if self.nodes and self.nodes > self.ranks:
            raise _at(
                ("nodes",),
                f"{self.nodes} nodes cannot each run one of {self.ranks} ranks; lower nodes or raise ranks.",
                self.nodes,
            )
        if self.nodes and self.ranks_per_node and self.nodes * self.ranks_per_node != self.ranks:
            raise _at(
                ("nodes",),
                f"{self.nodes} nodes with {self.ranks_per_node} ranks each are not {self.ranks} ranks; "
                "leave out one of nodes and ranks_per_node.",
                self.nodes,
            )
        return self

    @model_validator(mode="after")
    def _fewer_ranks_can_be_placed(self) -> "Placement":
        if self.min_ranks is None:
            return self
        if self.min_ranks > self.ranks:
            raise _at(("min_ranks",), f"{self.min_ranks} are more than {self.ranks} ranks; lower it.", self.min_ranks)
        fixed = {"ranks_per_node": self.ranks_per_node, "nodes": (self.nodes or 1) > 1}
        fixed["node_names"] = len(self.node_names) > 1
        if field := next((name for name, is_fixed in fixed.items() if is_fixed), None):
            raise _at((field,), f"it fixes the shape of a gang that may shrink; leave out {field} or min_ranks.", None)
        return self

    @model_validator(mode="after")
    def _names_agree(self) -> "Placement":
        names, count = self.node_names, len(self.node_names)
        if not names:
            return self
        if count > len(set(names)):
            twice = next(name for name in names if names.count(name) > 1)
            raise _at(("node_names",), f"{twice} is listed twice; name each node once.", names)
        if count > self.ranks:
            raise _at(
                ("node_names",),
                f"{count} nodes cannot each run one of {self.ranks} ranks; name fewer nodes or raise ranks.",
                names,
            )
        if self.nodes and self.nodes != count:
            raise _at(
                ("nodes",), f"{count} nodes are named in node_names, not {self.nodes}; leave out nodes.", self.nodes
            )
        if self.ranks_per_node and self.ranks_per_node * count != self.ranks:
            raise _at(
                ("ranks_per_node",),
                f"{count} named nodes with {self.ranks_per_node} ranks each are not {self.ranks} ranks; "
                "leave out ranks_per_node.",
                self.ranks_per_node,
            )
        return self

    @property
    def node_count(self) -> int | None:
        """The exact number of nodes, by ``nodes`` or ``node_names``; None if neither is given."""
        return self.nodes or len(self.node_names) or None


class JobSpec(SpecModel):
    """One job as submitted. It never changes; attempts record what happens to it."""

    name: JobName = ""
    kind: JobKind = "benchmark"
    benchmark: BenchmarkSpec | None = Field(
        None, description="What a job of kind benchmark measures; default: the usual sweep."
    )
    training: TrainingSpec | None = Field(None, description="What a job of kind training trains.")
    script: ScriptSpec | None = Field(None, description="What a job of kind script runs.")
    placement: Placement = Placement()
    priority: int = Field(50, ge=0, le=100, description="The job with the higher priority runs first.")
    time_limit_seconds: int = Field(
        600, ge=1, le=7 * 86_400, description="How long its ranks may run before it is stopped."
    )
    start_seconds: int | None = Field(
        None,
        ge=1,
        le=7 * 86_400,
        description="How long each part of the start may take: until all nodes are ready, until the launchers listen, "
        "until all ranks have started; raise it for busy nodes. null: the server's setting, 60 by default.",
    )
    load_seconds: int = Field(
        1800,
        ge=1,
        le=7 * 86_400,
        description="How long a rank may take for one activity before or between its steps, such as "
        "importing torch, reading data, compiling or writing a checkpoint.",
    )
    hang_seconds: int | None = Field(
        None,
        ge=1,
        le=7 * 86_400,
        description="The job hangs when no rank has made progress for this long, or for ten times the mean step if "
        "that is longer. null: 60 where the job reports its steps; a script hangs only if all of its ranks wait in "
        "calls of ringscope.",
    )
    queue_timeout_seconds: int | None = Field(
        None,
        ge=1,
        le=30 * 86_400,
        description="How long the job may wait in the queue before it fails; null: no limit.",
    )
    hold: bool = Field(False, description="The job waits until it is released.")
    max_attempts: int = Field(
        3,
        ge=1,
        le=10,
        description="Attempts, including the first; the job is retried only after a failure of a node or of the "
        "service.",
    )
    labels: Labels = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _what_others_decide(cls, data: Any) -> Any:
        """Fill in fields that depend on other fields and that the job leaves out.

        A kind's own section may be left out if all of its fields have defaults. A simulation is one process, and a
        measured benchmark runs alone on its nodes.
        """
        if not isinstance(data, dict):
            return data
        kind = data.get("kind", "benchmark")
        if kind in ("benchmark", "training") and data.get(kind) is None:
            data = data | {kind: {}}
        placement = data.get("placement", {})
        if kind != "benchmark" or not isinstance(placement, dict):
            return data
        benchmark = data["benchmark"]
        is_simulated = isinstance(benchmark, dict) and benchmark.get("transport") == SIMULATED
        return data | {"placement": ({"ranks": 1} if is_simulated else {"exclusive": True}) | placement}

    @model_validator(mode="after")
    def _one_kind_of_work(self) -> "JobSpec":
        for kind in get_args(JobKind):
            is_there = getattr(self, kind) is not None
            if is_there and kind != self.kind:
                raise _at((kind,), f"the job's kind is {self.kind}; leave {kind} out or give kind {kind}.", None)
            if not is_there and kind == self.kind:
                raise _at((kind,), f'a job of kind {kind} needs it; add for example {{"file": "train.py"}}.', None)
        return self

    @model_validator(mode="after")
    def _training_suits_the_ranks(self) -> "JobSpec":
        if self.training is not None and (found := self.training.check_ranks(self.placement.ranks)):
            field, sentence = found
            raise _at(("training", field), sentence, getattr(self.training, field))
        return self

    @model_validator(mode="after")
    def _fewer_ranks_can_train(self) -> "JobSpec":
        if self.placement.min_ranks is not None and (found := refusal(self.training)):
            (section, field), sentence = found
            raise _at((section, field), sentence, getattr(getattr(self, section), field))
        return self

    @model_validator(mode="after")
    def _one_node_where_the_strategy_has_one(self) -> "JobSpec":
        placement = self.placement
        if self.training is None or self.training.strategy not in ONE_NODE:
            return self
        if placement.node_count not in (None, 1) or placement.ranks_per_node not in (None, placement.ranks):
            field = "ranks_per_node"
            if placement.node_count not in (None, 1):
                field = "nodes" if placement.nodes else "node_names"
            several = ONE_NODE[self.training.strategy]
            raise _at(
                ("placement", field),
                f"{self.training.strategy} runs on one node; leave {field} out, or choose {several} for several.",
                getattr(placement, field),
            )
        # Set here, so that code that places, previews or repeats the job does not depend on strategies.
        object.__setattr__(self, "placement", placement.model_copy(update={"nodes": 1}))
        return self

    @model_validator(mode="after")
    def _no_process_is_idle(self) -> "JobSpec":
        if self.is_simulated and self.placement.ranks != 1:
            raise _at(
                ("placement", "ranks"),
                "a simulation is one process; set ranks to 1, and the number of simulated ranks in "
                "benchmark.topology.shape.",
                self.placement.ranks,
            )
        return self

    @model_validator(mode="after")
    def _each_channel_leaves_by_another_rank(self) -> "JobSpec":
        channels, placement = self.benchmark.channels if self.benchmark else None, self.placement
        # the most ranks that the smallest node can have
        most = placement.ranks_per_node or placement.ranks // (placement.node_count or 1)
        if channels is not None and channels > most:
            raise _at(("benchmark", "channels"), too_many_channels(channels, most), channels)
        return self

    @model_validator(mode="after")
    def _a_trace_can_be_looked_at(self) -> "JobSpec":
        if self.benchmark is None or not self.benchmark.trace:
            return self
        if self.ranks > MAX_RANKS:
            raise _at(
                ("benchmark", "trace"),
                f"{self.ranks} ranks are too many to trace; at most {MAX_RANKS} can be traced, so leave it out.",
                True,
            )
        operations = self.benchmark.size_count() * len(self.benchmark.traced_algorithms) * 2
        most = min(MAX_OPERATIONS, MAX_OPERATION_PAIRS // self.ranks**2)
        if operations > most:
            raise _at(
                ("benchmark", "trace"),
                f"{operations} operations of {self.ranks} ranks are too many to trace; at most {most} can be traced "
                "(each size with each algorithm, out of place and in place), so name fewer sizes or algorithms.",
                True,
            )
        return self

    @property
    def ranks(self) -> int:
        """Return the number of ranks of the collective: the processes of the gang, or the ranks that one process
        simulates.
        """
        topology = self.benchmark.topology if self.benchmark else None
        return self.placement.ranks if topology is None else topology.ranks

    def with_ranks(self, ranks: int) -> "JobSpec":
        """Return the specification that a gang of so many ranks follows; it differs for an elastic job."""
        if ranks == self.placement.ranks:
            return self
        return self.model_copy(update={"placement": self.placement.model_copy(update={"ranks": ranks})})

    @property
    def sweep(self) -> BenchmarkSpec:
        """Return the sweep of a job of kind benchmark; AttributeError for other kinds."""
        if self.benchmark is None:
            raise AttributeError(f"a job of kind {self.kind} has no sweep")
        return self.benchmark

    @property
    def is_simulated(self) -> bool:
        """Return whether the times come from the cost model, with nothing measured or checked."""
        return self.benchmark is not None and self.benchmark.is_simulated

    @property
    def collective(self) -> str:
        """Return the collective of each step; for training the all-reduce of gradients."""
        return self.benchmark.collective if self.benchmark else "all_reduce"

    @property
    def tells_steps(self) -> bool:
        """Return whether every rank reports its progress; a script need not report and may be silent for a long
        time.
        """
        return self.script is None

    @property
    def row_count(self) -> int:
        """Return the number of rows of the complete sweep's table; 0 if there is no such table."""
        return self.benchmark.measurement_count() if self.benchmark else 0

    @property
    def settled_device(self) -> str:
        """Return the device that it computes on: auto, cpu or cuda."""
        if self.benchmark is not None:
            return self.benchmark.settled_device
        work = self.training or self.script
        return work.device if work else "auto"

    @model_validator(mode="after")
    def _root_is_a_rank(self) -> "JobSpec":
        if self.benchmark is not None and self.benchmark.root >= self.ranks:
            raise _at(
                ("benchmark", "root"),
                f"{self.benchmark.root} is not one of {self.ranks} ranks; give 0 to {self.ranks - 1}.",
                self.benchmark.root,
            )
        return self


def _new(spec: JobSpec) -> JobSpec:
    for place, labels in ((("labels",), spec.labels), (("placement", "selector"), spec.placement.selector)):
        try:
            bounded(labels)
        except ValueError as error:
            raise _at(place, str(error), labels) from error
    channels, placement = spec.benchmark.channels if spec.benchmark else None, spec.placement
    if spec.benchmark and channels not in (None, 1) and (sentence := spec.benchmark.goes_one_way):
        raise _at(("benchmark", "channels"), sentence, channels)
    if channels not in (None, 1) and not (placement.node_count or placement.ranks_per_node):
        raise _at(
            ("benchmark", "channels"),
            f"{channels} need {channels} ranks on every node, but the number of ranks on a node is not set; set "
            f"placement.ranks_per_node or placement.nodes.",
            channels,
        )
    return spec


# Checked at submission only: jobs stored by an earlier version may exceed these bounds.
NewJob = Annotated[JobSpec, AfterValidator(_new)]
