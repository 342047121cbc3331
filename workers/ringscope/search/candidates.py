"""The candidates of a search: which of them suit the model and the ranks, and why the others are left out. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from ringscope.contracts.errors import UserError
from ringscope.contracts.findings import field_errors
from ringscope.contracts.search.spec import ALL, StrategySearchSpec
from ringscope.contracts.training import (
    ONE_NODE,
    PARAMETER_SERVERS,
    PIPELINE,
    TENSOR,
    TENSORFLOW,
    TrainingSpec,
    libraries,
)

FEWEST = 2  # candidates that can be compared
_MIB = 1 << 20


@dataclass(frozen=True)
class Candidate:
    """A strategy with its options, under the name by which a search lists it."""

    name: str
    training: TrainingSpec


@dataclass(frozen=True)
class LeftOut:
    """A candidate that cannot run here, with a sentence that says why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Situation:
    """The ranks and nodes of the search.

    ``installed`` are the libraries that all nodes have; None: not known. ``is_on_gpus`` says whether the ranks compute
    on GPUs.
    """

    ranks: int
    nodes: int = 1
    installed: Collection[str] | None = None
    is_on_gpus: bool = False


@dataclass(frozen=True)
class Candidates:
    """The candidates that can run, and those that are left out."""

    chosen: list[Candidate] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def _mirrored(**options: Any) -> dict[str, Any]:
    return {"strategy": "mirrored"} | options


def _servers(**options: Any) -> dict[str, Any]:
    return {"strategy": "parameter_server"} | options


# The fields of training in which each candidate differs from the defaults. On several nodes a strategy for one node
# is replaced by its equivalent for several.
OPTIONS: dict[str, dict[str, Any]] = {
    "mirrored-auto": _mirrored(),
    "mirrored-ring": _mirrored(all_reduce="ring"),
    "mirrored-direct": _mirrored(all_reduce="direct"),
    "mirrored-halving_doubling": _mirrored(all_reduce="halving_doubling"),
    "mirrored-hierarchical": _mirrored(all_reduce="hierarchical"),
    "mirrored-small_buckets": _mirrored(bucket_bytes=1 * _MIB),
    "mirrored-no_overlap": _mirrored(overlap=False),
    "mirrored-fp16": _mirrored(compression="fp16"),
    "mirrored-top_k": _mirrored(compression="top_k"),
    "mirrored-powersgd": _mirrored(compression="powersgd"),
    "parameter_server-sync": _servers(),
    "parameter_server-ssp": _servers(consistency="ssp", staleness=2),
    "parameter_server-async": _servers(consistency="async"),
    "parameter_server-sharded": _servers(servers=2),
    "sharded": {"strategy": "sharded"},
    "local_sgd": {"strategy": "local_sgd"},
    "pipeline": {"strategy": "pipeline"},
    "tensor": {"strategy": "tensor"},
    "torch_ddp": {"strategy": "torch_ddp"},
    "torch_fsdp": {"strategy": "torch_fsdp"},
    "tf_mirrored": {"strategy": "tf_mirrored"},
    "tf_parameter_server": {"strategy": "tf_parameter_server", "consistency": "async"},
}
_OF_SEVERAL_NODES = frozenset({"mirrored-hierarchical"})
_ON_CPUS = PARAMETER_SERVERS | PIPELINE | TENSOR | TENSORFLOW  # they exchange host memory only
# Candidates whose update is not that of one process with the same samples: another sum, or another time.
INEXACT = frozenset(
    {
        *("mirrored-fp16", "mirrored-top_k", "mirrored-powersgd", "local_sgd"),
        *("parameter_server-ssp", "parameter_server-async", "tf_parameter_server"),
    }
)


def candidates(spec: StrategySearchSpec, situation: Situation) -> Candidates:
    """Return the candidates of a search, in the order of their names in it.

    UserError for an unknown name, or if fewer than two can run; it then names those that are left out, and why.
    """
    found = judged(spec, situation)
    if too_few := shortage(found):
        raise UserError(too_few)
    return found


def judged(spec: StrategySearchSpec, situation: Situation) -> Candidates:
    """Return the candidates of a search, however few can run; UserError for an unknown name."""
    found = Candidates()
    for name in _wanted(spec.strategies):
        options = dict(OPTIONS[name])
        if situation.nodes > 1:
            options["strategy"] = ONE_NODE.get(options["strategy"], options["strategy"])
        reason, training = _training_of(spec, name, options, situation)
        if training is not None:
            found.chosen.append(Candidate(name, training))
        else:
            found.left_out.append(LeftOut(name, reason))
    return found


def missing_library(strategy: str, installed: Collection[str]) -> str:
    """Return a sentence for a library that the strategy needs and a node lacks; empty if none is missing."""
    for library, extra in libraries(strategy).items():
        if library not in installed:
            return f"a node has no {library}, which it needs: pip install 'ringscope[{extra}]' there."
    return ""


def _wanted(names: Collection[str]) -> list[str]:
    """Return the names of candidates: a strategy's name stands for all of its candidates."""
    found: dict[str, None] = {}
    for name in names:
        of_it = [each for each, options in OPTIONS.items() if name in (ALL, each, options["strategy"])]
        if not of_it:
            strategies = dict.fromkeys(options["strategy"] for options in OPTIONS.values())
            raise UserError(
                f"strategy_search.strategies: there is no candidate {name}; choose all, strategies such as "
                f"{', '.join(strategies)}, or candidates such as {', '.join(list(OPTIONS)[1:4])}."
            )
        found |= dict.fromkeys(of_it)
    return list(found)


def _training_of(
    spec: StrategySearchSpec, name: str, options: Mapping[str, Any], situation: Situation
) -> tuple[str, TrainingSpec | None]:
    """Return why a candidate cannot run, or its training."""
    if name in _OF_SEVERAL_NODES and situation.nodes == 1:
        return "it differs from the others only on several nodes.", None
    if situation.ranks == 1:
        return "one rank has nothing to exchange; give at least 2 ranks.", None
    if situation.is_on_gpus and options["strategy"] in _ON_CPUS:
        return "its ranks compute on CPUs, and those of this search on GPUs.", None
    if situation.installed is not None and (lacking := missing_library(options["strategy"], situation.installed)):
        return lacking, None
    if options.get("all_reduce") == "halving_doubling" and situation.ranks & (situation.ranks - 1):
        return f"{situation.ranks} ranks are no power of 2.", None
    try:
        training = spec.training(**options)
    except ValidationError as error:
        return field_errors(error)[0].detail, None
    if found := training.check_ranks(situation.ranks):
        return ": ".join(found), None
    return "", training


def shortage(found: Candidates) -> str:
    """Return a sentence if fewer than two candidates can run, with the reasons of the others; empty: there are two."""
    if len(found.chosen) >= FEWEST:
        return ""
    there = f"only {found.chosen[0].name}" if found.chosen else "none of its candidates"
    reasons = " ".join(f"{each.name}: {each.reason}" for each in found.left_out)
    return (
        f"strategy_search.strategies: a search compares at least {FEWEST}, and {there} can run here. {reasons}".rstrip()
    )
