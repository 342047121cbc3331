"""Specification of a job: immutable, submitted by a person, a script or the web form.

Server, agent, CLI and rank share these models. The error messages for a job are written here and in ``field_errors``,
so that the REST API, the form and the terminal show the same sentences.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field, model_validator

from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.columns import is_null
from ringscope.contracts.diagnosis.spec import DiagnosisSpec, misplaced, preflight_spec, with_places
from ringscope.contracts.elastic import refusal
from ringscope.contracts.environment import Variables, shown
from ringscope.contracts.imported import ImportedSpec
from ringscope.contracts.placement import Arrangement, Placement
from ringscope.contracts.search.spec import StrategySearchSpec
from ringscope.contracts.spec_model import SpecModel
from ringscope.contracts.spec_model import at as _at
from ringscope.contracts.traced import MAX_OPERATION_PAIRS, MAX_OPERATIONS, MAX_RANKS
from ringscope.contracts.training import ONE_NODE, ScriptSpec, TrainingSpec
from ringscope.contracts.words.devices import SIMULATED, too_many_channels
from ringscope.contracts.words.labels import Labels, bounded

__all__ = ["IMPORTED", "Arrangement", "JobKind", "JobName", "JobSpec", "NewJob", "Placement", "StoredKind"]

JobKind = Literal["benchmark", "training", "script", "strategy_search", "diagnosis"]  # what nodes run
StoredKind = Literal["benchmark", "training", "script", "strategy_search", "diagnosis", "imported"]
IMPORTED: Literal["imported"] = "imported"
_SECTIONS: dict[str, tuple[str, ...]] = {IMPORTED: ("benchmark", IMPORTED)}  # every other kind has one, of its name
# A search takes longer than its budget: it starts several times if ranks are killed, and the last run may be slow.
_SEARCH_EXTRA_SECONDS = 600
_SEARCH_ATTEMPTS = 10  # a run in which a rank is killed costs one


_NOT_SUBMITTED = "`ringscope import FILE` stores results of other tools; submit benchmark, training or script."
_JOINER = "\u200d"  # occurs inside many emoji


def _readable(name: str) -> str:
    """Remove invisible characters, which would make one name look like another; names of earlier jobs stay valid."""
    return "".join(letter for letter in name if letter.isprintable() or letter == _JOINER).strip()


JobName = Annotated[str, Field(max_length=200), AfterValidator(_readable)]


class JobSpec(SpecModel):
    """One job as submitted. It never changes; attempts record what happens to it."""

    name: JobName = ""
    kind: StoredKind = Field(
        "benchmark", description="A job of kind imported has the rows of another tool; it cannot be submitted."
    )
    benchmark: BenchmarkSpec | None = Field(
        None, description="What a job of kind benchmark measures; default: the usual sweep."
    )
    imported: ImportedSpec | None = Field(
        None, exclude_if=is_null, description="The origin of the rows of a job of kind imported."
    )
    training: TrainingSpec | None = Field(None, description="What a job of kind training trains.")
    script: ScriptSpec | None = Field(None, description="What a job of kind script runs.")
    strategy_search: StrategySearchSpec | None = Field(
        None, exclude_if=is_null, description="What a job of kind strategy_search compares."
    )
    diagnosis: DiagnosisSpec | None = Field(
        None, exclude_if=is_null, description="What a job of kind diagnosis measures."
    )
    placement: Placement = Placement()
    env: Variables = Field(
        default_factory=dict,
        exclude_if=lambda variables: not variables,  # agents of earlier versions refuse the field
        description="Environment variables of its ranks, beside those that the launcher sets. A node takes the names "
        "that its operator allows. Values of secrets are stored, but never shown.",
    )
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

        A kind's own section may be left out if all of its fields have defaults. A simulation is one process; a
        measured benchmark, a search and a diagnosis run alone on their nodes.
        """
        if not isinstance(data, dict):
            return data
        kind = data.get("kind", "benchmark")
        if kind in ("benchmark", "training", "strategy_search", "diagnosis") and data.get(kind) is None:
            data = data | {kind: {}}
        placement = data.get("placement", {})
        if kind == "strategy_search":
            data = {"max_attempts": _SEARCH_ATTEMPTS, "time_limit_seconds": _search_limit(data[kind])} | data
            if isinstance(placement, dict):
                data = data | {"placement": {"exclusive": True} | placement}
            return data
        if kind == "diagnosis":
            return with_places(data, placement)
        if kind != "benchmark" or not isinstance(placement, dict):
            return data
        benchmark = data["benchmark"]
        is_simulated = isinstance(benchmark, dict) and benchmark.get("transport") == SIMULATED
        return data | {"placement": ({"ranks": 1} if is_simulated else {"exclusive": True}) | placement}

    @model_validator(mode="after")
    def _one_kind_of_work(self) -> "JobSpec":
        needed = _SECTIONS.get(self.kind, (self.kind,))
        for section in get_args(StoredKind):
            is_there = getattr(self, section) is not None
            if is_there and section not in needed:
                sentence = f"the job's kind is {self.kind}; leave {section} out or give kind {section}."
                raise _at((section,), sentence, None)
            if not is_there and section in needed:
                if self.kind == IMPORTED:
                    raise _at(("kind",), _NOT_SUBMITTED, IMPORTED)
                sentence = f'a job of kind {section} needs it; add for example {{"file": "train.py"}}.'
                raise _at((section,), sentence, None)
        return self

    @model_validator(mode="after")
    def _a_search_has_ranks_and_time(self) -> "JobSpec":
        search = self.strategy_search
        if search is None:
            return self
        if self.placement.ranks < 2:
            sentence = "one rank has nothing to exchange, so all strategies are alike; give at least 2 ranks."
            raise _at(("placement", "ranks"), sentence, self.placement.ranks)
        if self.time_limit_seconds < search.budget_seconds:
            sentence = f"the search may take {search.budget_seconds} s; allow more, or lower its budget_seconds."
            raise _at(("time_limit_seconds",), sentence, self.time_limit_seconds)
        return self

    @model_validator(mode="after")
    def _a_diagnosis_has_pairs_of_nodes(self) -> "JobSpec":
        if self.diagnosis is None:
            return self
        if found := misplaced(self.diagnosis, self.placement.ranks, self.placement.ranks_per_node):
            field, sentence = found
            raise _at(("placement", field), sentence, getattr(self.placement, field))
        if self.time_limit_seconds < self.diagnosis.budget_seconds:
            sentence = f"its rounds may take {self.diagnosis.budget_seconds} s; allow more, or lower budget_seconds."
            raise _at(("time_limit_seconds",), sentence, self.time_limit_seconds)
        return self

    @model_validator(mode="after")
    def _a_preflight_has_nodes(self) -> "JobSpec":
        if self.placement.preflight is False:
            return self
        if self.is_simulated:
            sentence = "a simulation runs on no nodes that could be slow; leave it out."
            raise _at(("placement", "preflight"), sentence, self.placement.preflight)
        if self.diagnosis is not None:
            sentence = "a diagnosis judges its nodes itself; leave it out."
            raise _at(("placement", "preflight"), sentence, self.placement.preflight)
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

    def with_ranks(self, ranks: int, nodes: Sequence[str] = ()) -> "JobSpec":
        """Return the specification that a gang of so many ranks on these nodes follows.

        It differs for an elastic job, and for a diagnosis of named nodes that continues without one of them.
        """
        if ranks == self.placement.ranks:
            return self
        named = {"node_names": list(nodes)} if nodes and self.placement.node_names else {}
        return self.model_copy(update={"placement": self.placement.model_copy(update={"ranks": ranks, **named})})

    @property
    def shown(self) -> "JobSpec":
        """Return the specification as people see it, without the values of secrets in its environment."""
        return self.model_copy(update={"env": shown(self.env)}) if self.env else self

    @property
    def sweep(self) -> BenchmarkSpec:
        """Return the sweep of a job of kind benchmark; AttributeError for other kinds."""
        if self.benchmark is None:
            raise AttributeError(f"a job of kind {self.kind} has no sweep")
        return self.benchmark

    @property
    def measured_pairs(self) -> DiagnosisSpec | None:
        """Return how the job measures pairs of nodes: as a diagnosis, or before its program; None if it does not."""
        return self.diagnosis or preflight_spec(self.placement.preflight)

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
    def own_files(self) -> dict[str, str]:
        """Return the user's own Python files that its ranks read, by the dotted path of their field."""
        if self.script is not None:
            return {"script.file": self.script.file}
        work = self.training or self.strategy_search
        return work.own_files if work is not None else {}

    def row_count(self, lowered_max_bytes: int | None = None) -> int:
        """Return the number of rows of the complete sweep's table, with the sizes that fit into memory; 0 without one.

        Args:
            lowered_max_bytes: the largest of these sizes; None: all sizes fit.
        """
        if self.imported is not None:
            return self.imported.rows
        if self.benchmark is None or lowered_max_bytes is None:
            return self.benchmark.measurement_count() if self.benchmark else 0
        return self.benchmark.model_copy(update={"max_bytes": lowered_max_bytes}).measurement_count()

    @property
    def settled_device(self) -> str:
        """Return the device that it computes on: auto, cpu or cuda."""
        if self.benchmark is not None:
            return self.benchmark.settled_device
        if self.diagnosis is not None:
            return "cpu"
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


def _search_limit(search: Any) -> int:
    """Return the time limit of a search that names none; a wrong budget is refused by its own field."""
    default = StrategySearchSpec.model_fields["budget_seconds"].default
    budget = search.get("budget_seconds", default) if isinstance(search, dict) else default
    return 2 * budget + _SEARCH_EXTRA_SECONDS if isinstance(budget, int) and 0 < budget < 86_400 else 7 * 86_400


def _new(spec: JobSpec) -> JobSpec:
    if spec.kind == IMPORTED:
        raise _at(("kind",), _NOT_SUBMITTED, IMPORTED)
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
