"""The API's views of tokens."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field, field_validator, model_validator

from ringscope.contracts.spec_model import SpecModel, at
from ringscope_server.users.tokens import PersonRole, Role, TokenKind

MAX_DAYS = 3650


class TokenSpec(SpecModel):
    """A token to be made."""

    name: str = Field(
        min_length=1,
        max_length=100,
        description="The user or agent of the token; what it does is recorded under this name.",
    )
    kind: Literal["personal", "join", "agent"] = Field(
        "personal",
        description="The kind of token; a join token admits nodes, each of which gets an agent token of its own.",
    )
    role: PersonRole | None = Field(None, description="The role of a personal token; other kinds have none.")
    node: str | None = Field(
        None, min_length=1, max_length=200, description="The node of an agent token, which needs exactly one."
    )
    note: str = Field("", max_length=500, description="A note about the token's purpose.")
    expires_in_days: float | None = Field(
        None, gt=0, le=MAX_DAYS, allow_inf_nan=False, description="The days until it expires; null means never."
    )

    @field_validator("name")
    @classmethod
    def _is_one_word_or_more(cls, name: str) -> str:
        # The name stands in events, metrics and sentences.
        if not name.isprintable() or name != name.strip():
            raise ValueError("give printable characters on one line, without blanks at the ends.")
        if name == "system" or name.startswith("node/"):
            raise ValueError("system and node/… stand for the server and its agents in events; choose another name.")
        return name

    @model_validator(mode="after")
    def _each_kind_has_its_fields(self) -> "TokenSpec":
        if self.kind == "personal" and self.role is None:
            raise at(("role",), "a personal token needs a role; choose one of viewer, operator, admin.", None)
        if self.kind != "personal" and self.role is not None:
            raise at(("role",), f"only personal tokens have a role, not {self.kind} tokens; leave it out.", self.role)
        if self.kind == "agent" and self.node is None:
            raise at(("node",), "an agent token speaks for one node; name it, or make a join token.", None)
        if self.kind != "agent" and self.node is not None:
            raise at(("node",), f"only agent tokens belong to a node, not {self.kind} tokens; leave it out.", self.node)
        return self


class TokenView(BaseModel):
    """A token without its secret, which only its owner has."""

    id: int
    name: str
    kind: TokenKind
    role: Role
    node: str | None
    note: str
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None = Field(description="The time of its last use, to the minute.")
    rotation_wanted_at: datetime | None = Field(
        description="The time since which its agent should exchange the secret; null if it need not, or has done so."
    )


class NewToken(TokenView):
    """A token that was just made."""

    secret: str = Field(description="The secret, which is shown only here; store it.")


class TokenPage(BaseModel):
    """Tokens of people and agents, share links, and guests, whose login links have a lower role than their maker's.

    Newest first. Other sessions and login links end with the token that made them.
    """

    items: list[TokenView]
    next: str | None
