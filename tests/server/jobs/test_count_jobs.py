"""GET /jobs/facets."""

from typing import Any

import pytest
from tests.server.conftest import ONE_SIZE, Server

from ringscope_server.jobs import facets

SENDRECV = {"benchmark": {"collective": "sendrecv", "algorithms": ["mpi"], "min_bytes": 64, "max_bytes": 64}}
TRAINING = {"kind": "training", "training": {"all_reduce": "ring"}, "placement": {"ranks": 2}}


async def counted(server: Server, **params: Any) -> dict[str, Any]:
    response = await server.admin.get("/api/v1/jobs/facets", params=params)
    assert response.status_code == 200, response.text
    return {
        name: {item["value"]: item["count"] for item in facet} if isinstance(facet, list) else facet
        for name, facet in response.json().items()
    }


async def submit_four(server: Server) -> None:
    await server.node()
    ring = await server.submit(name="ring one", **ONE_SIZE)
    await server.submit(name="ring two", **ONE_SIZE)
    await server.submit(name="pairs", **SENDRECV)
    await server.submit(name="training", **TRAINING)
    await server.admin.post(f"/api/v1/jobs/{ring['id']}/cancel")


async def test_each_facet_counts_every_job(server: Server) -> None:
    await submit_four(server)
    assert await counted(server) == {
        "total": 4,
        "is_complete": True,
        "state": {"queued": 3, "cancelled": 1},
        "kind": {"benchmark": 3, "training": 1},
        "collective": {"all_reduce": 2, "sendrecv": 1},
        "algorithm": {"ring": 3, "mpi": 1},
        "user": {"admin": 4},
        "judgement": {},
    }


async def test_a_facet_leaves_its_own_filter_out_and_keeps_the_others(server: Server) -> None:
    await submit_four(server)
    found = await counted(server, state="cancelled", algorithm="ring")
    assert found["total"] == 1
    assert found["state"] == {"queued": 2, "cancelled": 1}
    assert found["algorithm"] == {"ring": 1}
    assert found["kind"] == {"benchmark": 1}
    assert await counted(server, q="nothing like it") == {
        "total": 0,
        "is_complete": True,
        "state": {},
        "kind": {},
        "collective": {},
        "algorithm": {},
        "user": {},
        "judgement": {},
    }


async def test_of_very_many_jobs_the_newest_are_counted(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facets, "MAX_JOBS", 2)
    await submit_four(server)
    found = await counted(server)
    assert (found["is_complete"], found["total"], found["kind"]) == (False, 2, {"benchmark": 1, "training": 1})


async def test_the_list_gives_as_many_as_the_facets_say(server: Server) -> None:
    await submit_four(server)
    everything = await counted(server)
    for facet in ("state", "kind", "collective", "algorithm", "user"):
        for value, count in everything[facet].items():
            page = (await server.admin.get("/api/v1/jobs", params={facet: value})).json()
            assert len(page["items"]) == count, (facet, value)
            assert (await counted(server, **{facet: value}))["total"] == count
