"""The server tells forms what the engine offers, and accepts all of it."""

from typing import get_args

from tests.server.conftest import Server

from ringscope.contracts.job import JobSpec
from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.words.collectives import SCHEDULED
from ringscope.contracts.words.dtypes import DType, Op
from ringscope.search.candidates import OPTIONS


async def test_every_algorithm_is_offered_and_accepted(server: Server) -> None:
    engine = (await server.admin.get("/api/v1/engine")).json()
    assert engine["collectives"].keys() == SCHEDULED.keys()
    for name, schedules in SCHEDULED.items():
        assert engine["collectives"][name]["algorithms"][0] == "auto"
        assert set(schedules) | {"mpi"} <= set(engine["collectives"][name]["algorithms"])
    for name, view in engine["collectives"].items():
        for choice in (view["usual"], *([algorithm] for algorithm in view["algorithms"])):
            JobSpec.model_validate({"benchmark": {"collective": name, "algorithms": choice}})
    assert engine["dtypes"] == list(get_args(DType))
    assert engine["ops"] == list(get_args(Op))
    assert "auto" in engine["transports"]


async def test_what_is_offered_for_a_simulation_is_accepted(server: Server) -> None:
    engine = (await server.admin.get("/api/v1/engine")).json()
    assert "simulated" in engine["transports"]
    for name, view in engine["collectives"].items():
        assert view["simulated"] == list(SCHEDULED[name])
        for link in engine["links"]:
            cluster = {"shape": "2x2", "link": link, "intra": link}
            benchmark = {"collective": name, "algorithms": view["simulated"], "transport": "simulated"}
            JobSpec.model_validate({"benchmark": benchmark | {"topology": cluster}})


async def test_roots_and_ops_are_told_where_they_mean_something(server: Server) -> None:
    collectives = (await server.admin.get("/api/v1/engine")).json()["collectives"]
    assert {name for name, view in collectives.items() if view["has_root"]} == {"broadcast", "reduce"}
    assert {name for name, view in collectives.items() if view["reduces"]} == {"all_reduce", "reduce_scatter", "reduce"}
    assert {name for name, view in collectives.items() if not view["checked_in_place"]} == {"alltoall", "sendrecv"}


async def test_what_is_offered_for_a_search_is_accepted(server: Server) -> None:
    search = (await server.admin.get("/api/v1/engine")).json()["strategy_search"]
    defaults = JobSpec.model_validate(search["defaults"])
    assert (defaults.ranks, defaults.max_attempts) == (2, 10) and defaults.strategy_search is not None
    assert [each["name"] for each in search["candidates"]] == list(OPTIONS)
    for each in search["candidates"]:
        assert OPTIONS[each["name"]] == {"strategy": each["strategy"]} | each["options"]
        defaults.strategy_search.training(strategy=each["strategy"], **each["options"])


async def test_what_is_offered_for_training_is_accepted(server: Server) -> None:
    training = (await server.admin.get("/api/v1/engine")).json()["training"]
    assert JobSpec.model_validate(training["defaults"]) == JobSpec(kind="training")
    for model, arguments in training["models"].items():
        dataset = {"name": "text", "path": "/data"} if model == "gpt" else {"name": "digits"}
        JobSpec.model_validate(
            {"kind": "training", "training": {"model": model, "model_arguments": arguments, "dataset": dataset}}
        )
    assert {"strategy", "all_reduce", "optimizer", "precision", "compression"} < training["fields"].keys()
    for field, words in training["fields"].items():
        assert words == list(get_args(TrainingSpec.model_fields[field].annotation)), field
    assert {"mirrored", "tf_mirrored"} == set(training["one_node"])
    assert training["own_fields"].keys() - {"min_ranks"} < TrainingSpec.model_fields.keys()
    assert training["own_fields"]["min_ranks"] == ["mirrored", "multi_worker_mirrored", "sharded"]
    assert training["own_fields"]["servers"] == ["parameter_server", "tf_parameter_server"]
    assert training["own_fields"]["sync_every"] == ["local_sgd"]
