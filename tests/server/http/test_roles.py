"""No route admits a user with less than its role."""

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts
from tests.server.conftest import ONE_SIZE, Server

from ringscope_server.http.auth import RequireRole


def roles(dependant: Dependant) -> set[str]:
    found = {dependant.call.role} if isinstance(dependant.call, RequireRole) else set()
    return found.union(*(roles(inner) for inner in dependant.dependencies))


def operations(server: Server) -> list[tuple[str, str, str]]:
    """Method, path and role of every route that needs one; numbers and names in the path are 1."""
    found = []
    for context in iter_route_contexts(server.api.routes):
        route = context.original_route
        if isinstance(route, APIRoute) and (needed := roles(route.dependant)):
            (role,) = needed
            path = context.path
            for name in route.param_convertors:
                path = path.replace(f"{{{name}}}", "1")
            found += [(method, path, role) for method in sorted(route.methods or ())]
    return found


async def test_nobody_gets_past_a_route_with_less_than_its_role(server: Server) -> None:
    clients = {
        "nobody": server.client(),
        "viewer": await server.person("viewer"),
        "operator": await server.person("operator"),
        "admin": server.admin,
        "agent": await server.speaker("1"),
        "join": server.client(
            (await server.admin.post("/api/v1/tokens", json={"name": "j", "kind": "join"})).json()["secret"]
        ),
    }
    allowed = {
        "viewer": {"viewer", "operator", "admin"},
        "operator": {"operator", "admin"},
        "admin": {"admin"},
        "agent": {"agent"},
        "join": {"join"},
    }
    walked = operations(server)
    assert len(walked) > 25
    assert {role for *_, role in walked} >= {"viewer", "operator", "admin", "agent"}
    for method, path, role in walked:
        for who, client in clients.items():
            if who in allowed[role]:
                continue
            response = await client.request(method, path)
            expected = (401, "not_logged_in") if who == "nobody" else (403, "not_allowed")
            code = expected[1] if method == "HEAD" else response.json()["code"]  # whose answer has no body
            assert (response.status_code, code) == expected, f"{who}: {method} {path}"


async def test_a_viewer_who_cancels_changes_nothing(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE)
    viewer = await server.person("viewer")
    refused = await viewer.post(f"/api/v1/jobs/{job['id']}/cancel")
    assert refused.status_code == 403
    assert refused.json()["detail"] == "This needs the role operator; your token has the role viewer."
    assert (await server.job(job["id"]))["state"] == "queued"
    assert (await server.admin.get("/api/v1/events", params={"actor": "eve"})).json()["items"] == []
