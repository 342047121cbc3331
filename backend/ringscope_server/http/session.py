"""Logging in: the one-time link, the browser's session, and who I am."""

from datetime import datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Cookie, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel

from ringscope_server.http.auth import COOKIE, Admin, Viewer
from ringscope_server.http.problems import Problem
from ringscope_server.http.services import ServicesDep
from ringscope_server.services import Services
from ringscope_server.users import tokens
from ringscope_server.users.tokens import Role

router = APIRouter(tags=["session"])
pages = APIRouter(include_in_schema=False)


class Me(BaseModel):
    """Who makes this request."""

    name: str
    role: Role


class Secret(BaseModel):
    """A token that somebody pastes."""

    token: str


class LoginLink(BaseModel):
    """A link that logs one browser in, once."""

    url: str
    expires_at: datetime


@router.get("/me", operation_id="get_me")
async def get_me(user: Viewer) -> Me:
    """The user of this token or session."""
    return Me(name=user.name, role=user.role)


@router.post("/login-links", status_code=201, operation_id="create_login_link")
async def create_login_link(user: Admin, services: ServicesDep, request: Request) -> LoginLink:
    """A one-time link for a browser; it gets the role of whoever asks."""
    expires_at = services.now() + tokens.LOGIN_LINK_LIFETIME
    async with services.database.write() as session:
        secret = await tokens.create(session, user.name, "login", user.role, services.now(), expires_at)
    base = services.settings.public_url or str(request.base_url)
    return LoginLink(url=f"{base.rstrip('/')}/login?token={secret}", expires_at=expires_at)


@router.post("/session", status_code=204, operation_id="create_session")
async def create_session(secret: Secret, services: ServicesDep, response: Response, request: Request) -> None:
    """Log a browser in with a token that somebody pasted: a personal one, or a login link's."""
    async with services.database.write() as session:
        token = await tokens.consume(session, secret.token, services.now()) or await tokens.find(
            session, secret.token, services.now()
        )
        if token is None or token.kind not in ("login", "personal"):
            raise Problem(
                401,
                "bad_token",
                "The token is unknown, used or expired; get a new one with `ringscope login`.",
            )
        cookie = await tokens.create(
            session, token.name, "session", tokens.as_user(token).role, services.now(), _session_end(services)
        )
    _set_cookie(response, cookie, services, request)


@router.delete("/session", status_code=204, operation_id="delete_session")
async def delete_session(
    user: Viewer,
    services: ServicesDep,
    response: Response,
    cookie: Annotated[str | None, Cookie(alias=COOKIE)] = None,
) -> None:
    """Log this browser out."""
    if cookie is not None:
        async with services.database.write() as session:
            await tokens.forget(session, cookie)
    response.delete_cookie(COOKIE)


@pages.get("/login")
async def login(
    services: ServicesDep,
    request: Request,
    token: Annotated[str, Query()] = "",
    next: Annotated[str, Query(description="Where to go then: a path of this server.")] = "/",
) -> Response:
    """Follow a login link: its token is used up, the browser gets a session."""
    async with services.database.write() as session:
        used = await tokens.consume(session, token, services.now())
        if used is None:
            return RedirectResponse("/?login=expired", 303)
        cookie = await tokens.create(
            session, used.name, "session", tokens.as_user(used).role, services.now(), _session_end(services)
        )
    # Only a path: a full URL here would let a link send a freshly logged-in person to another site.
    target = next if next.startswith("/") and not next.startswith(("//", "/\\")) else "/"
    response = RedirectResponse(target, 303)
    _set_cookie(response, cookie, services, request)
    return response


def _session_end(services: Services) -> datetime:
    return services.now() + timedelta(days=services.settings.session_days)


def _set_cookie(response: Response, secret: str, services: Services, request: Request) -> None:
    response.set_cookie(
        COOKIE,
        secret,
        max_age=services.settings.session_days * 86_400,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
