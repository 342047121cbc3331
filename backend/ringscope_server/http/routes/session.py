"""/session, /me and links: the one-time login link, the share link, the browser's session, and the current user."""

from datetime import datetime, timedelta
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Cookie, Depends, Request, Response
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ringscope_server.changes import announce_ended_tokens
from ringscope_server.http.auth import COOKIE, Admin, Viewer
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.origin import MAX_PATH, is_local_path, origin
from ringscope_server.http.own_command import own_command
from ringscope_server.http.problems import Problem
from ringscope_server.http.rate_limit import limit_stranger
from ringscope_server.services import Services
from ringscope_server.users import sessions
from ringscope_server.users.sessions import GUEST_LIFETIME
from ringscope_server.users.tokens import PersonRole, Role

router = APIRouter(tags=["session"])

MAX_SHARE_DAYS = 30


class Me(BaseModel):
    """The user of this request."""

    name: str
    role: Role
    command: str | None = Field(
        description="The command that gives `ringscope` this server's token; null for viewers, and if the request "
        "does not come from the server's own machine.",
    )


class Secret(BaseModel):
    """A token that a person pastes, or that of a login link."""

    token: str


def _stays_here(path: str) -> str:
    if not is_local_path(path):
        raise ValueError("this is no path of this server; give one that begins with a single slash, as /jobs/7.")
    return path


LocalPath = Annotated[
    str,
    AfterValidator(_stays_here),
    Field(max_length=MAX_PATH, description="The page that the link opens: a path of this server, such as /jobs/7."),
]


class LoginLinkSpec(BaseModel):
    """The purpose of a login link."""

    model_config = ConfigDict(extra="forbid")

    role: PersonRole | None = Field(None, description="The role of the browser; default: the role of the caller.")
    session_hours: float | None = Field(
        None,
        gt=0,
        le=GUEST_LIFETIME / timedelta(hours=1),
        description="Hours for which the browser stays logged in once it has followed the link; default: the longest "
        "allowed time, which is a week for a role other than the caller's own.",
    )
    next: LocalPath = "/"


class LoginLink(BaseModel):
    """A link that logs one browser in, once."""

    url: str
    expires_at: datetime


class ShareLinkSpec(BaseModel):
    """The page of a share link and its lifetime."""

    model_config = ConfigDict(extra="forbid")

    next: LocalPath = "/"
    expires_in_days: float = Field(
        7, gt=0, le=MAX_SHARE_DAYS, allow_inf_nan=False, description="The days until the link and its sessions end."
    )


class ShareLink(BaseModel):
    """A link that lets anyone view everything and change nothing, until it expires or is revoked."""

    id: int = Field(description="The number of its token: DELETE /tokens/{id} revokes the link.")
    url: str
    expires_at: datetime


@router.get("/me", operation_id="get_me")
async def get_me(user: Viewer, services: ServicesDep, request: Request) -> Me:
    """The user of this token or session."""
    command = own_command(request, services.settings) if user.may("operator") else None
    return Me(name=user.name, role=user.role, command=command)


@router.post("/login-links", status_code=201, operation_id="create_login_link")
async def create_login_link(
    user: Admin, services: ServicesDep, request: Request, wanted: LoginLinkSpec | None = None
) -> LoginLink:
    """Make a one-time link for a browser, to share a page with another person; it ends with the token that made it."""
    wanted = wanted or LoginLinkSpec()
    async with services.database.write() as session:
        lasts = timedelta(hours=wanted.session_hours) if wanted.session_hours else None
        secret, expires_at = await sessions.login_link(session, user, wanted.role or user.role, lasts, services.now())
    return LoginLink(url=_link(request, services, secret, wanted.next), expires_at=expires_at)


@router.post("/share-links", status_code=201, operation_id="create_share_link")
async def create_share_link(
    user: Admin, services: ServicesDep, request: Request, wanted: ShareLinkSpec | None = None
) -> ShareLink:
    """Make a link that any number of people can open to view everything, until it expires or its token is revoked."""
    wanted = wanted or ShareLinkSpec()
    lasts = timedelta(days=wanted.expires_in_days)
    async with services.database.write() as session:
        token, secret = await sessions.share_link(session, user, wanted.next, lasts, services.now())
    assert token.expires_at is not None
    return ShareLink(id=token.id, url=_link(request, services, secret, wanted.next), expires_at=token.expires_at)


@router.post("/session", status_code=204, operation_id="create_session", dependencies=[Depends(limit_stranger)])
async def create_session(
    secret: Secret,
    services: ServicesDep,
    response: Response,
    request: Request,
    cookie: Annotated[str | None, Cookie(alias=COOKIE)] = None,
) -> None:
    """Log a browser in with a personal token, with a login link's, which this consumes, or with a share link's.

    A client that only loads the link's page, such as a chat that shows a preview, does not consume it.
    """
    async with services.database.write() as session:
        begun = await sessions.log_in(session, secret.token, services.now(), _lifetime(services), cookie)
    if begun is None:
        services.monitoring.refused["login"] += 1
        raise Problem(
            401, "bad_token", "The token is unknown, used, revoked or expired; get a new one with `ringscope login`."
        )
    is_secure = request.url.scheme == "https" or services.settings.public_url.startswith("https://")
    _set_cookie(response, begun, services.settings.root or "/", is_secure)


@router.delete("/session", status_code=204, operation_id="delete_session")
async def delete_session(
    user: Viewer,
    services: ServicesDep,
    response: Response,
    cookie: Annotated[str | None, Cookie(alias=COOKIE)] = None,
) -> None:
    """Log this browser out; its live streams end."""
    if cookie is not None:
        async with services.database.write() as session:
            await sessions.log_out(session, cookie, services.now())
        await announce_ended_tokens(services)
    response.delete_cookie(COOKIE, path=services.settings.root or "/")


def _link(request: Request, services: Services, secret: str, page: str) -> str:
    query = {"token": secret} | ({} if page == "/" else {"next": page})
    return f"{origin(request, services.settings)}/login?{urlencode(query, safe='/')}"


def _lifetime(services: Services) -> timedelta:
    return timedelta(days=services.settings.session_days)


def _set_cookie(response: Response, begun: sessions.Begun, path: str, is_secure: bool) -> None:
    response.set_cookie(
        COOKIE,
        begun.secret,
        max_age=int(begun.lasts.total_seconds()),  # a cookie that is invalid by now is not sent
        path=path,
        httponly=True,
        samesite="lax",
        secure=is_secure,
    )
