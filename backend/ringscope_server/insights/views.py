"""The API's views of insights."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from ringscope_server.insights.kinds import Kind


class InsightView(BaseModel):
    """A problem that was found in a job."""

    id: int
    attempt_id: int
    kind: Kind
    rank: int | None = Field(description="The rank that it is about; null if it is about the whole gang or a node.")
    node: str | None
    message: str = Field(description="One sentence.")
    since: datetime
    until: datetime | None = Field(description="When it ended; null if it lasts.")


class InsightDetail(InsightView):
    """An insight with its evidence."""

    evidence: dict[str, Any] = Field(
        description="The numbers behind it, which differ by kind; a hang also has the ranks' stacks."
    )


class Check(BaseModel):
    """A check that was made, or could not be made."""

    check: Literal["all"] | Kind = Field(
        description="The kind of problem that it would find; all means that nothing of such a job is checked."
    )
    is_checked: bool
    sentence: str = Field(description="How it was checked, or why it could not be.")


class InsightList(BaseModel):
    """The insights of one job, oldest first."""

    items: list[InsightDetail]
    checks: list[Check] = Field(description="The checks of the newest attempt; empty if none ran.")
