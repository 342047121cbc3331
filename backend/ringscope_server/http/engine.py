"""/engine: what a benchmark can be made of, so that forms offer what the engine has."""

from typing import get_args

from fastapi import APIRouter
from pydantic import BaseModel, Field

from ringscope.algorithms import COLLECTIVES as SCHEDULES
from ringscope.algorithms import REDUCING, ROOTED, nameable
from ringscope.nccl_tests import UNCHECKED_IN_PLACE
from ringscope.spec import COLLECTIVES, Algorithm, BenchmarkSpec, Collective, DType, Op, TransportName
from ringscope.topology import PRESETS
from ringscope_server.http.auth import Viewer

router = APIRouter(tags=["engine"])


class CollectiveView(BaseModel):
    """One collective: who can do it, and what it needs to know."""

    algorithms: list[Algorithm] = Field(description="Every algorithm that it has, auto first.")
    usual: list[Algorithm] = Field(description="Those that a job measures when it names none.")
    simulated: list[Algorithm] = Field(description="Those with a schedule, which transport simulated needs.")
    reduces: bool = Field(description="Whether ``op`` means something.")
    has_root: bool = Field(description="Whether ``root`` means something.")
    checked_in_place: bool = Field(description="Whether results in place are compared with the exact answer.")


class Engine(BaseModel):
    """The choices for each field of a benchmark."""

    collectives: dict[Collective, CollectiveView]
    dtypes: list[DType]
    ops: list[Op]
    transports: list[TransportName]
    links: list[str] = Field(description="Known by name, for the cluster of a simulation.")


@router.get("/engine", operation_id="get_engine")
async def get_engine(user: Viewer) -> Engine:
    """Collectives with their algorithms, data types, operations and transports."""
    collectives = {
        name: {
            "algorithms": nameable(name),
            "usual": BenchmarkSpec.model_validate({"collective": name}).algorithms,
            "simulated": tuple(SCHEDULES[name]),
            "reduces": name in REDUCING,
            "has_root": name in ROOTED,
            "checked_in_place": name not in UNCHECKED_IN_PLACE,
        }
        for name in COLLECTIVES
    }
    choices = {"dtypes": get_args(DType), "ops": get_args(Op), "transports": get_args(TransportName)}
    choices["links"] = tuple(PRESETS)
    return Engine.model_validate(choices | {"collectives": collectives})
