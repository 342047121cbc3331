"""Links between nodes, and between racks, as users see them."""

from datetime import datetime

from pydantic import BaseModel, Field


class LinkWay(BaseModel):
    """The bandwidth from one node of a pair to the other one, as a diagnosis measured it."""

    source: str
    destination: str
    low_gb_per_s: float = Field(description="The lower end of the median's 95 % interval.")
    high_gb_per_s: float
    messages: int = Field(description="The number of timed messages.")


class LinkRail(BaseModel):
    """One rail of a pair of nodes, as a diagnosis measured it."""

    rail: int = Field(description="The number of the two ranks on their nodes, from 0.")
    busbw_gb_per_s: float = Field(description="The middle of the interval of the slower direction.")
    ways: list[LinkWay]
    latency_us: float | None


class LinkView(BaseModel):
    """One pair of nodes, and its newest measurement: the fastest row of a sendrecv, or a pair of a diagnosis."""

    nodes: list[str] = Field(description="The two nodes, ordered by name.", min_length=2, max_length=2)
    busbw_gb_per_s: float = Field(
        description="The rate in 1e9 bytes per second at which each node sends and, at the same time, receives; of a "
        "diagnosis the middle of the interval of the slower direction."
    )
    rail: int | None = Field(
        None,
        description="The rail that has these rates, in the newest measurements of a pair the slowest one; null: the "
        "nodes as wholes.",
    )
    rails: list[LinkRail] = Field(
        [], description="All rails of the pair, by number; empty if its nodes were measured as wholes."
    )
    size_bytes: int
    iterations: int | None = Field(
        None, description="The timed iterations of that row; null for jobs of earlier versions."
    )
    is_unstable: bool = Field(
        False, description="Whether the iterations of that row differ so much that their mean says little."
    )
    algorithm: str
    transport: str
    job_id: int
    measured_at: datetime = Field(description="When the job ended, or when a diagnosis measured the pair.")
    ways: list[LinkWay] = Field([], description="Both directions; empty for a sendrecv, which has one rate for both.")
    latency_us: float | None = Field(None, description="Half the time of a small message and back; null: a sendrecv.")
    both_ways: bool = Field(True, description="Whether both directions were measured at the same time.")
    disturbed_by: str | None = Field(
        None,
        description="A sentence about other jobs or load on the nodes, or ranks that shared cores; null if there was "
        "none. A disturbed job counts for a pair only until an undisturbed one has measured it.",
    )


class LinkPage(BaseModel):
    """Measured pairs, by name; all of them unless a limit was given. Other pairs are not listed."""

    items: list[LinkView]
    next: str | None = None


class LinkHistory(LinkPage):
    """The measurements of one pair of nodes, newest first: of the nodes as wholes, or of one rail."""

    rails: list[int] = Field([], description="The rails of this pair that were measured at any time.")


class RackLinkView(BaseModel):
    """The measured links between the nodes of two racks, or within one rack, in a few numbers.

    A link counts with its newest measurement and has two directions; the rate of a direction is the middle of its
    interval, and a sendrecv has one rate for both.
    """

    racks: list[str | None] = Field(
        description="The two racks, ordered by name; within a rack twice the same. null: nodes without a rack.",
        min_length=2,
        max_length=2,
    )
    pairs: int = Field(description="The number of pairs of nodes.")
    measured: int = Field(description="The number of pairs that were measured.")
    slowest_nodes: list[str] = Field(
        description="The source and the destination of the slowest direction.", min_length=2, max_length=2
    )
    slowest_gb_per_s: float = Field(description="The rate of the slowest direction in 1e9 bytes per second.")
    slowest_low_gb_per_s: float = Field(
        description="The lower end of its interval; of a sendrecv, which has no interval, the rate itself."
    )
    slowest_high_gb_per_s: float
    median_gb_per_s: float = Field(description="The median of all directions.")
    newest_at: datetime = Field(description="When the newest of these links was measured.")


class RackLinkPage(BaseModel):
    """Each two racks between which a link was measured, and each rack within which one was. Others are not listed."""

    items: list[RackLinkView]
