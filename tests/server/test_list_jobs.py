"""GET /jobs."""

from tests.server.conftest import ONE_SIZE, Server


async def test_pages_are_newest_first_and_complete(server: Server) -> None:
    await server.node()
    ids = [(await server.submit(**ONE_SIZE))["id"] for _ in range(5)]
    seen: list[int] = []
    cursor: str | None = ""
    while cursor is not None:
        params = {"limit": "2", "cursor": cursor} if cursor else {"limit": "2"}
        page = (await server.admin.get("/api/v1/jobs", params=params)).json()
        seen += [job["id"] for job in page["items"]]
        cursor = page["next"]
    assert seen == ids[::-1]


async def test_filters(server: Server) -> None:
    await server.node()
    kept = await server.submit(name="nightly 100%", **ONE_SIZE)
    gone = await server.submit(name="other", **ONE_SIZE)
    await server.admin.post(f"/api/v1/jobs/{gone['id']}/cancel")

    async def ids(**params: str) -> list[int]:
        return [job["id"] for job in (await server.admin.get("/api/v1/jobs", params=params)).json()["items"]]

    assert await ids(state="queued") == [kept["id"]]
    assert await ids(state="cancelled") == [gone["id"]]
    assert await ids(q="NIGHTLY") == [kept["id"]]
    assert await ids(q="100%") == [kept["id"]]
    assert await ids(q="%") == [kept["id"]]
    assert await ids(kind="benchmark") == [gone["id"], kept["id"]]


async def test_a_foreign_cursor_and_an_unknown_state_are_refused(server: Server) -> None:
    for params, pointer in [({"cursor": "!!"}, "/cursor"), ({"state": "sleeping"}, "/state/0")]:
        response = await server.admin.get("/api/v1/jobs", params=params)
        assert response.status_code == 422
        assert response.json()["errors"][0]["pointer"] == pointer
