"""The contents of a report: jobs with their rows and judgements, as one JSON document with a checksum. Pure."""

import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

FORMAT: Literal[1] = 1  # the version of the embedded JSON
LAYOUT = 1  # the version of the page, which shows the same JSON in its own way


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class _Reference(_Part):
    kind: str
    size_bytes: int
    busbw_gb_per_s: float = Field(gt=0)
    low_gb_per_s: float = Field(gt=0)
    high_gb_per_s: float = Field(gt=0)
    source: str
    url: str | None
    date: str | None


class _Size(_Part):
    size_bytes: int = Field(ge=0)
    in_place: bool
    busbw_gb_per_s: float
    low_gb_per_s: float
    high_gb_per_s: float
    word: str
    deviation: float | None
    wire_gb_per_s: float | None
    references: list[_Reference]


class _Judgement(_Part):
    model_config = ConfigDict(extra="allow")  # a later server may say more

    word: str
    sentence: str
    version: int
    basis: str
    facts: dict[str, Any] | None
    missing: list[str]
    transport: list[str]
    references: list[_Reference]
    sizes: list[_Size]


def _whole(judgement: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON of a judgement as it is, if it has all parts of one."""
    _Judgement.model_validate(judgement)
    return judgement


class Fact(_Part):
    """A named fact of a job, such as its GPU."""

    name: str
    value: str


class Row(_Part):
    """One measured size of one algorithm; ``halves`` are half units of the last digits of printed numbers."""

    collective: str | None
    algorithm: str | None
    size_bytes: int = Field(ge=0)
    in_place: bool
    dtype: str | None
    op: str | None
    ranks: int | None = Field(ge=1)
    transport: str | None
    time_us: float | None
    time_low_us: float | None
    time_high_us: float | None
    algbw_gb_per_s: float | None
    busbw_gb_per_s: float | None
    wrong: float | None
    flags: list[str]
    halves: dict[Literal["time", "algbw", "busbw"], float] | None


class Best(_Part):
    """The best bus bandwidth of one algorithm among the rows that count."""

    algorithm: str | None
    size_bytes: int
    in_place: bool
    busbw_gb_per_s: float


class ReportedJob(_Part):
    """One job of a server or one table of a file."""

    title: str
    kind: Literal["benchmark", "imported", "file"]
    id: int | None
    state: str
    refused: str | None
    facts: list[Fact]
    versions: dict[str, str]
    nodes: list[str]
    rows: list[Row]
    best: list[Best]
    judgement: Annotated[dict[str, Any], AfterValidator(_whole)] | None
    disturbed: list[str]


class Link(_Part):
    """The bandwidth between two nodes by the newest job that measured it."""

    nodes: tuple[str, str] = Field(strict=False)
    busbw_gb_per_s: float
    size_bytes: int
    job_id: int


class Report(_Part):
    """The contents of a report; everything else on its page follows from them."""

    format: Literal[1]
    layout: int = Field(ge=1)
    made_at: str
    program: str
    jobs: list[ReportedJob]
    links: list[Link]
    unused_nodes: list[str]


def made(
    jobs: list[ReportedJob], links: list[Link], unused_nodes: list[str], made_at: datetime, version: str
) -> Report:
    """Return a report of this format and layout; ``version`` is that of Ringscope."""
    return Report(
        format=FORMAT,
        layout=LAYOUT,
        made_at=made_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC"),
        program=f"ringscope {version}",
        jobs=jobs,
        links=links,
        unused_nodes=unused_nodes,
    )


def counts(row: Row) -> bool:
    """Return whether a row may be used: nothing in it contradicts itself, and no element was wrong."""
    return not row.flags and not row.wrong and row.busbw_gb_per_s is not None and row.busbw_gb_per_s > 0


def best_of(rows: list[Row]) -> list[Best]:
    """Return the best bus bandwidth of each algorithm."""
    found: dict[str | None, Best] = {}
    for row in rows:
        value = row.busbw_gb_per_s
        if value is None or not counts(row):
            continue
        known = found.get(row.algorithm)
        if known is None or value > known.busbw_gb_per_s:
            found[row.algorithm] = Best(
                algorithm=row.algorithm, size_bytes=row.size_bytes, in_place=row.in_place, busbw_gb_per_s=value
            )
    return sorted(found.values(), key=lambda one: -one.busbw_gb_per_s)


def to_text(report: Report) -> str:
    """Return the document as the text that a page embeds: nothing in it ends a script element or is a comment."""
    text = json.dumps(report.model_dump(mode="json"), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def checksum(text: str) -> str:
    """Return the SHA-256 of an embedded text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
