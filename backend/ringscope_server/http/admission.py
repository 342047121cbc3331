"""Admission of requests: if the server gets too little processor time, they wait or get 503 with Retry-After."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ringscope_server.http.problems import Problem, problem_response
from ringscope_server.overload.admission import Admission, Admitted, Kind, NotAdmittedError

RETRY_AFTER_SECONDS = 5
_AGENTS = "/api/v1/agents/"
# These do not wait: a poll is a node's heartbeat, a health page reports the server's state, and a stream has no end.
_AT_ONCE = frozenset({"/healthz", "/readyz", "/metrics", "/api/v1/stream"})


def kind_of(path: str) -> Kind | None:
    """Return the kind of a request for this path; None if it must not wait."""
    if path in _AT_ONCE:
        return None
    if not path.startswith(_AGENTS):
        return Kind.ASKED
    if path.endswith("/poll"):
        return None
    return Kind.RECORDS if path.endswith("/records") else Kind.SIGNS


class RequestAdmission:
    """ASGI middleware: passes a request on once it is admitted, before any of its body is read."""

    def __init__(self, app: ASGIApp, admission: Admission) -> None:
        self.app = app
        self._admission = admission

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Wait, pass the request on, and admit the next one once the first part of the answer's body is sent."""
        kind = kind_of(scope["path"]) if scope["type"] == "http" else None
        if kind is None:
            await self.app(scope, receive, send)
            return
        try:
            admitted = await self._admission.admit(kind)
        except NotAdmittedError:
            sentence = (
                "The server gets too little processor time and serves its nodes first; "
                f"send this again in {RETRY_AFTER_SECONDS} s, or give the server more of the machine."
            )
            headers = {"Retry-After": str(RETRY_AFTER_SECONDS)}
            await problem_response(Problem(503, "overloaded", sentence, headers=headers))(scope, receive, send)
            return
        scope.setdefault("state", {})["admitted"] = admitted

        async def ending(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.body":
                admitted.end()

        try:
            await self.app(scope, receive, ending)
        finally:
            admitted.end()


async def get_admitted(request: Request) -> Admitted:
    """Return this request's admission; a route with a limit of its own ends the admission before it waits there."""
    admitted: Admitted = request.state.admitted
    return admitted


AdmittedDep = Annotated[Admitted, Depends(get_admitted)]
