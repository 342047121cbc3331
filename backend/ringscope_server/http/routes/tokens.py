"""/tokens: the tokens with which people and agents authenticate."""

from typing import Annotated

from fastapi import APIRouter, Path

from ringscope_server.changes import Changes, announce, announce_ended_tokens
from ringscope_server.http.auth import Admin
from ringscope_server.http.cursors import MAX_KEY, Cursor, Limit, decode, next_cursor
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.idempotency import IdempotencyKey
from ringscope_server.http.problems import Problem, not_found
from ringscope_server.nodes import registry
from ringscope_server.users import rotation, service
from ringscope_server.users.views import NewToken, TokenPage, TokenSpec, TokenView

router = APIRouter(prefix="/tokens", tags=["tokens"])

TokenId = Annotated[int, Path(ge=1, le=MAX_KEY)]


@router.post("", status_code=201, operation_id="create_token")
async def create_token(
    spec: TokenSpec, user: Admin, services: ServicesDep, idempotency_key: IdempotencyKey = None
) -> NewToken:
    """Make a token. Its secret is shown only here."""
    try:
        async with services.database.write() as session:
            token, secret = await service.issue(session, spec, user, idempotency_key, services.now())
    except service.RoleTooHighError as error:
        sentence = f"Your role is {user.role}; nobody can give a role above their own."
        raise Problem(403, "role_too_high", sentence) from error
    except service.AlreadyMadeError as error:
        sentence = (
            f"This request has made token {error.token_id} before, and a secret is told only once; "
            "revoke that token and make another one under a new Idempotency-Key."
        )
        raise Problem(409, "already_made", sentence) from error
    shown = TokenView.model_validate(token, from_attributes=True)
    return NewToken(**shown.model_dump(), secret=secret)


@router.get("", operation_id="list_tokens")
async def list_tokens(user: Admin, services: ServicesDep, limit: Limit = 50, cursor: Cursor = None) -> TokenPage:
    """List the tokens of people and agents, and the sessions of guests, newest first."""
    async with services.database.read() as session:
        found = await service.page(session, limit, decode(cursor))
    items = [TokenView.model_validate(token, from_attributes=True) for token in found]
    return TokenPage(items=items, next=next_cursor([item.id for item in items], limit))


@router.delete("/{token_id}", status_code=204, operation_id="revoke_token")
async def revoke_token(token_id: TokenId, user: Admin, services: ServicesDep) -> None:
    """Revoke a token with everything that was made with it: sessions, login links, tokens of nodes that joined."""
    try:
        async with services.database.write() as session:
            token = await service.revoke(session, token_id, user.name, services.now())
    except service.LastAdminError as error:
        sentence = "This is the last admin token; make another one first, with POST /tokens."
        raise Problem(409, "last_admin", sentence) from error
    if token is None:
        raise not_found("token", token_id)
    await announce_ended_tokens(services)


@router.post("/{token_id}/rotate", operation_id="rotate_token")
async def rotate_token(token_id: TokenId, user: Admin, services: ServicesDep) -> TokenView:
    """Give a node's token another secret, which its agent fetches by itself; the old one is valid until then."""
    try:
        async with services.database.write() as session:
            token = await rotation.want(session, token_id, user.name, services.now())
            nodes = await registry.ids_named(session, token.node) if token and token.node else set()
    except rotation.NotOfNodeError as error:
        sentence = (
            f"Only a node's token is rotated, since its agent fetches the new secret; this is a {error.kind} token: "
            "make another one, and revoke this one."
        )
        raise Problem(409, "not_of_node", sentence) from error
    if token is None:
        raise not_found("token", token_id)
    await announce(services, Changes(nodes=nodes))  # its agent's poll is answered at once
    return TokenView.model_validate(token, from_attributes=True)
