"""Tokens for the API, and login links."""

from typing import Any

from ringscope.client.connection import Connection
from ringscope.client.views.tokens import LoginLink, Me, NewToken, ShareLink, Token


class TokenRoutes(Connection):
    """/me, /tokens, /login-links and /share-links."""

    def me(self) -> Me:
        """Return the name and role behind this connection's token."""
        return Me.read(self._get("/me"))

    def tokens(self) -> list[Token]:
        """All tokens."""
        return [Token.read(item) for item in self._items("/tokens")]

    def add_token(
        self,
        name: str,
        kind: str = "personal",
        role: str | None = None,
        expires_in_days: float | None = None,
        note: str | None = None,
        node: str | None = None,
    ) -> NewToken:
        """Make a token: a personal one with a role, one that lets nodes join, or an agent's for its ``node``."""
        fields: dict[str, Any] = {
            "name": name,
            "kind": kind,
            "role": role,
            "expires_in_days": expires_in_days,
            "note": note,
            "node": node,
        }
        body = {field: value for field, value in fields.items() if value is not None}
        return NewToken.read(self._create("/tokens", body))

    def revoke_token(self, token_id: int) -> None:
        """End a token and what was made with it."""
        self._remove(f"/tokens/{token_id}")

    def rotate_token(self, token_id: int) -> Token:
        """Have a node's agent exchange its token for a new one; the old one is good until it has."""
        return Token.read(self._bring(f"/tokens/{token_id}/rotate"))

    def login_link(self, next: str = "/", role: str | None = None, hours: float | None = None) -> LoginLink:
        """A fresh one-time login link for a browser.

        Args:
            next: the path that it leads to, such as /jobs/7.
            role: viewer, operator or admin; None: that of this connection's token.
            hours: time that the browser stays logged in, 168 at most; None: the longest that the server allows.
        """
        fields = {"next": next, "role": role, "session_hours": hours}
        wanted = {name: value for name, value in fields.items() if value is not None}
        return LoginLink.read(self._act("/login-links", wanted))

    def share_link(self, next: str = "/", expires_in_days: float | None = None) -> ShareLink:
        """A link with which anyone can view everything, until it expires or its token is revoked.

        Args:
            next: the path that it leads to, such as /jobs/7.
            expires_in_days: 30 at most; None: the server's default, 7.
        """
        fields = {"next": next, "expires_in_days": expires_in_days}
        wanted = {name: value for name, value in fields.items() if value is not None}
        return ShareLink.read(self._act("/share-links", wanted))
