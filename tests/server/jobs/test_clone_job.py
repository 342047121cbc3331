"""POST /jobs/{id}/clone and /retry: a job is done again, with or without changes."""

from typing import Any

import pytest
from tests.server.conftest import ONE_SIZE, Server

from ringscope.contracts.merge_patch import merge_patch


@pytest.mark.parametrize(
    ("target", "patch", "merged"),
    # Appendix A of RFC 7396.
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_a_merge_patch_is_that_of_the_standard(target: Any, patch: Any, merged: Any) -> None:
    before = repr(target)
    assert merge_patch(target, patch) == merged
    assert repr(target) == before


async def clone(server: Server, job_id: int, patch: Any, **headers: str) -> Any:
    return await server.admin.post(f"/api/v1/jobs/{job_id}/clone", json=patch, headers=headers)


async def test_a_clone_has_the_changes_and_tells_where_it_comes_from(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE, labels={"team": "a"}, time_limit_seconds=60)
    response = await clone(server, job["id"], {"placement": {"ranks": 4}, "labels": {"x": "y", "team": None}})
    made = response.json()
    assert (response.status_code, made["state"], made["cloned_from"]) == (201, "queued", job["id"])
    assert response.headers["location"] == f"/api/v1/jobs/{made['id']}"
    assert (made["ranks"], made["labels"], made["spec"]["time_limit_seconds"]) == (4, {"x": "y"}, 60)
    assert made["name"] == "all_reduce ring on 4 ranks"
    assert (await server.job(job["id"]))["spec"] == job["spec"]


async def test_a_clone_of_training_on_one_node_may_have_several(server: Server) -> None:
    await server.node("n1")
    await server.node("n2")
    job = await server.submit(kind="training", training={}, placement={"ranks": 4})
    assert job["spec"]["placement"]["nodes"] == 1
    patch = {"training": {"strategy": "multi_worker_mirrored"}, "placement": {"ranks": 8}}
    made = (await clone(server, job["id"], patch)).json()
    assert (made["spec"]["placement"]["nodes"], made["ranks"]) == (None, 8)
    assert (await clone(server, job["id"], {})).json()["spec"]["placement"]["nodes"] == 1


async def test_a_clone_of_a_named_job_tells_it_in_its_name(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE, name="nightly")
    first = (await clone(server, job["id"], {})).json()
    assert first["name"] == f"nightly (clone of {job['id']})"
    assert (await clone(server, first["id"], {})).json()["name"] == f"nightly (clone of {first['id']})"
    assert (await clone(server, first["id"], {"name": "mine"})).json()["name"] == "mine"
    longest = await server.submit(**ONE_SIZE, name="x" * 200)
    assert (await clone(server, longest["id"], {})).json()["name"] == "x" * 200


async def test_sizes_that_grow_otherwise_need_no_second_change(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE)
    patch = {"benchmark": {"step_factor": None, "step_bytes": 512, "max_bytes": 2048}}
    made = (await clone(server, job["id"], patch)).json()
    assert (made["spec"]["benchmark"]["step_factor"], made["progress"]["total"]) == (None, 6)


@pytest.mark.parametrize(
    ("patch", "pointer"),
    [
        ({"placement": {"ranks": 0}}, "/placement/ranks"),
        ({"placement": {"ranks": 64}}, "/placement/ranks"),
        ({"benchmark": {"algorithms": ["rnig"]}}, "/benchmark/algorithms/0"),
        ({"colour": "red"}, "/colour"),
        ([], ""),
    ],
)
async def test_bad_changes_name_the_field_and_make_nothing(server: Server, patch: Any, pointer: str) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE)
    response = await clone(server, job["id"], patch)
    assert (response.status_code, [e["pointer"] for e in response.json()["errors"]]) == (422, [pointer])
    assert len((await server.admin.get("/api/v1/jobs")).json()["items"]) == 1


@pytest.mark.parametrize(("depth", "why"), [(21, "nested deeper than 20 levels"), (400, "nested too deeply")])
async def test_a_body_as_deep_as_the_sea_is_refused(server: Server, depth: int, why: str) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE)
    patch: dict[str, Any] = {}
    for _ in range(depth):
        patch = {"benchmark": patch}
    response = await clone(server, job["id"], patch)
    assert (response.status_code, why in response.json()["detail"]) == (422, True)


async def test_the_same_key_clones_once(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE)
    key = {"Idempotency-Key": "k"}
    made = [(await clone(server, job["id"], {"priority": 3}, **key)).json()["id"] for _ in range(2)]
    assert made[0] == made[1] != job["id"]
    assert (await clone(server, job["id"], {"priority": 4}, **key)).status_code == 409


async def test_a_key_counts_whatever_became_of_the_source_meanwhile(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE, hold=True)
    url = f"/api/v1/jobs/{job['id']}"
    assert (await server.admin.post(f"{url}/cancel")).status_code == 200
    cloned, again = {"Idempotency-Key": "clone"}, {"Idempotency-Key": "again"}
    first = [
        await clone(server, job["id"], {"name": "x"}, **cloned),
        await server.admin.post(f"{url}/retry", headers=again),
    ]
    assert (await server.admin.patch(url, json={"labels": {"a": "b"}})).status_code == 200
    later = [
        await clone(server, job["id"], {"name": "x"}, **cloned),
        await server.admin.post(f"{url}/retry", headers=again),
    ]
    assert [answer.json()["id"] for answer in later] == [answer.json()["id"] for answer in first]
    assert (await server.admin.post(f"{url}/retry", headers=cloned)).status_code == 409


async def test_an_ended_job_can_be_run_again_as_it_was_last(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE, hold=True)
    url = f"/api/v1/jobs/{job['id']}"
    early = await server.admin.post(f"{url}/retry")
    assert (early.status_code, early.json()["code"]) == (409, "wrong_state")
    assert early.json()["detail"] == f"Job {job['id']} is held; only one that has ended can be run again."
    await server.admin.patch(url, json={"name": "better", "priority": 7, "labels": {"a": "b"}})
    await server.admin.post(f"{url}/cancel")
    again = await server.admin.post(f"{url}/retry")
    made = again.json()
    assert (again.status_code, made["state"], made["cloned_from"]) == (201, "queued", job["id"])
    assert (made["name"], made["priority"], made["labels"]) == ("better", 7, {"a": "b"})
    assert made["spec"]["benchmark"] == job["spec"]["benchmark"]
    assert (await server.job(job["id"]))["state"] == "cancelled"


async def test_an_unknown_job_is_a_404(server: Server) -> None:
    assert (await clone(server, 77, {})).status_code == 404
    assert (await server.admin.post("/api/v1/jobs/77/retry")).status_code == 404
