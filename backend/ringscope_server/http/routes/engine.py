"""/engine: the choices for a job, so that forms offer what the engine has."""

from typing import Any, get_args

from fastapi import APIRouter
from pydantic import BaseModel, Field

from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.elastic import ELASTIC
from ringscope.contracts.job import JobSpec
from ringscope.contracts.training import (
    MODEL_ARGUMENTS,
    ONE_NODE,
    OWN_FIELDS,
    STRATEGIES,
    DatasetName,
    ModelName,
    Strategy,
    TrainingSpec,
)
from ringscope.contracts.words.collectives import (
    COLLECTIVES,
    REDUCING,
    ROOTED,
    SCHEDULED,
    UNCHECKED_IN_PLACE,
    Algorithm,
    Collective,
    nameable,
)
from ringscope.contracts.words.devices import TransportName
from ringscope.contracts.words.dtypes import DType, Op
from ringscope.contracts.words.topology import PRESETS
from ringscope.cost.prices import PRICED
from ringscope.search.candidates import OPTIONS
from ringscope_server.http.auth import Viewer

router = APIRouter(tags=["engine"])


class CollectiveView(BaseModel):
    """One collective: its algorithms, and the fields that apply to it."""

    algorithms: list[Algorithm] = Field(description="All its algorithms, auto first.")
    usual: list[Algorithm] = Field(description="The algorithms that a job measures if it names none.")
    simulated: list[Algorithm] = Field(description="The algorithms with a schedule, which transport simulated needs.")
    priced: list[str] = Field(
        description="The algorithms that the planner can price, with a schedule or only with a formula."
    )
    reduces: bool = Field(description="Whether ``op`` applies.")
    has_root: bool = Field(description="Whether ``root`` applies.")
    checked_in_place: bool = Field(description="Whether results in place are compared with the exact answer.")


class TrainingChoices(BaseModel):
    """The choices for each field of training."""

    fields: dict[str, list[str]] = Field(description="The allowed words of each field that takes one of a few.")
    datasets: list[DatasetName]
    models: dict[ModelName, dict[str, int]] = Field(description="The arguments of each model, with their defaults.")
    one_node: list[Strategy] = Field(description="The strategies that run on one node only.")
    own_fields: dict[str, list[Strategy]] = Field(
        description="The fields that only some strategies use, with these strategies."
    )
    defaults: JobSpec = Field(description="The job that gives nothing but its kind.")


class CandidateChoice(BaseModel):
    """A candidate of a strategy search."""

    name: str
    strategy: Strategy
    options: dict[str, str | int | bool] = Field(description="The fields of training that differ from the defaults.")


class SearchChoices(BaseModel):
    """The choices for a strategy search."""

    candidates: list[CandidateChoice]
    defaults: JobSpec = Field(description="The job that gives nothing but its kind and two ranks.")


class Engine(BaseModel):
    """The choices for each field of a benchmark, of training and of a strategy search."""

    collectives: dict[Collective, CollectiveView]
    dtypes: list[DType]
    ops: list[Op]
    transports: list[TransportName]
    links: list[str] = Field(description="The links known by name, for the cluster of a simulation.")
    training: TrainingChoices
    strategy_search: SearchChoices


@router.get("/engine", operation_id="get_engine")
async def get_engine(user: Viewer) -> Engine:
    """Collectives with their algorithms, data types, operations and transports; what training can be made of."""
    collectives = {
        name: {
            "algorithms": nameable(name),
            "usual": BenchmarkSpec.model_validate({"collective": name}).algorithms,
            "simulated": tuple(SCHEDULED[name]),
            "priced": PRICED if name == "all_reduce" else tuple(SCHEDULED[name]),
            "reduces": name in REDUCING,
            "has_root": name in ROOTED,
            "checked_in_place": name not in UNCHECKED_IN_PLACE,
        }
        for name in COLLECTIVES
    }
    choices = {"dtypes": get_args(DType), "ops": get_args(Op), "transports": get_args(TransportName)}
    choices["links"] = tuple(PRESETS)
    by_kind = {"training": _training(), "strategy_search": _search()}
    return Engine.model_validate(choices | {"collectives": collectives} | by_kind)


def _training() -> dict[str, Any]:
    return {
        "fields": _words(TrainingSpec),
        "datasets": get_args(DatasetName),
        "models": MODEL_ARGUMENTS,
        "one_node": [name for name in STRATEGIES if name in ONE_NODE],
        "own_fields": {
            name: [strategy for strategy in STRATEGIES if strategy in strategies]
            for name, strategies in (OWN_FIELDS | {"min_ranks": ELASTIC}).items()
        },
        "defaults": JobSpec(kind="training"),
    }


def _search() -> dict[str, Any]:
    candidates = [
        {
            "name": name,
            "strategy": options["strategy"],
            "options": {field: value for field, value in options.items() if field != "strategy"},
        }
        for name, options in OPTIONS.items()
    ]
    defaults = JobSpec.model_validate({"kind": "strategy_search", "placement": {"ranks": 2}})
    return {"candidates": candidates, "defaults": defaults}


def _words(spec: type[BaseModel]) -> dict[str, tuple[str, ...]]:
    """Return the fields of a specification that take one of a few words."""
    choices = {name: get_args(field.annotation) for name, field in spec.model_fields.items()}
    return {name: words for name, words in choices.items() if words and all(isinstance(word, str) for word in words)}
