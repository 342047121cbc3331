"""Insights as the API shows them."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from ringscope_server.insights.kinds import Kind


class InsightView(BaseModel):
    """Something that was found wrong with a job."""

    id: int
    attempt_id: int
    kind: Kind
    rank: int | None = Field(description="null: it is about the whole gang, or a node.")
    node: str | None
    message: str = Field(description="One sentence.")
    since: datetime
    until: datetime | None = Field(description="null: it is so now.")


class InsightDetail(InsightView):
    """The same with what it is founded on."""

    evidence: dict[str, Any] = Field(description="Numbers that differ by kind; of a hang also the ranks' stacks.")


class Check(BaseModel):
    """Something that was checked, or could not be."""

    check: Literal["all"] | Kind = Field(description="What it would find; all: nothing of such a job is checked.")
    is_checked: bool
    sentence: str = Field(description="How it was checked, or why it could not be.")


class InsightList(BaseModel):
    """Of one job, oldest first."""

    items: list[InsightDetail]
    checks: list[Check] = Field(description="Checks of the newest attempt; empty where none ran.")
