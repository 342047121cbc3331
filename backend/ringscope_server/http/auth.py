"""Authentication and roles: a bearer token, or the cookie of a browser session.

Every route depends on one of ``Viewer``, ``Operator``, ``Admin``, ``Agent`` or ``Joiner``, or is on the list of public
routes in tests/server/http/test_auth.py.
"""

from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer

from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.problems import Problem
from ringscope_server.http.rate_limit import limit_stranger, limit_user
from ringscope_server.services import Services
from ringscope_server.users import tokens
from ringscope_server.users.tokens import Role, User

COOKIE = "ringscope_session"
CLIENT_HEADER = "X-Ringscope-Client"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

_bearer = HTTPBearer(auto_error=False, description="A personal token, such as the one in DATA_DIR/admin-token.")
_cookie = APIKeyCookie(name=COOKIE, auto_error=False, description="The session of a browser.")


async def current_user(
    request: Request,
    services: ServicesDep,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    cookie: Annotated[str | None, Depends(_cookie)],
) -> User:
    """Return the user of this request. Raises a 401 problem without a valid token, 403 for a forged request, 429."""
    secret = bearer.credentials if bearer else cookie
    if secret is None:
        await _refuse(request, services, "no_token")
        raise Problem(401, "not_logged_in", "This needs a token: send it as 'Authorization: Bearer TOKEN'.")
    token = await services.token_cache.find(services.database, secret, services.now())
    if token is None or token.kind in tokens.LINKS:
        await _refuse(request, services, "bad_token")
        raise Problem(401, "bad_token", "The token is unknown or expired; use a valid one.")
    if bearer is None and request.method not in SAFE_METHODS and CLIENT_HEADER not in request.headers:
        # Another site's page can make the browser send the cookie but not this header.
        raise Problem(403, "forged_request", f"A change made with the session cookie needs the {CLIENT_HEADER} header.")
    user = tokens.as_user(token, secret)
    limit_user(services, user)
    services.last_use.note(user.token_id, services.now())
    return user


async def _refuse(request: Request, services: Services, reason: str) -> None:
    services.monitoring.refused[reason] += 1
    await limit_stranger(request, services)


class RequireRole:
    """A dependency that lets only users with a role pass."""

    def __init__(self, role: Role) -> None:
        self.role = role

    async def __call__(self, user: Annotated[User, Depends(current_user)]) -> User:
        """Return the user; raises a 403 problem that names the missing role."""
        if not user.may(self.role):
            raise Problem(403, "not_allowed", f"This needs the role {self.role}; your token has the role {user.role}.")
        return user


Viewer = Annotated[User, Depends(RequireRole("viewer"))]
Operator = Annotated[User, Depends(RequireRole("operator"))]
Admin = Annotated[User, Depends(RequireRole("admin"))]
Agent = Annotated[User, Depends(RequireRole("agent"))]
Joiner = Annotated[User, Depends(RequireRole("join"))]
