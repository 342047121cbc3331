"""Specification of a job that measures the links between its nodes, or finds what slows a collective. Pure."""

from typing import Literal

from pydantic import Field

from ringscope.contracts.spec_model import SpecModel

Measure = Literal["links", "cause"]


class DiagnosisSpec(SpecModel):
    """Pairs of nodes that are measured in rounds, all pairs of a round at the same time."""

    measure: Measure = Field(
        "cause",
        description="links measures every pair of nodes once; cause measures the links of the ring and then only what "
        "is needed to name a slow node, link or boundary.",
    )
    size_bytes: int = Field(4 << 20, ge=1 << 10, le=1 << 30, description="Size of a message.")
    both_ways: bool = Field(
        False, description="The nodes of a pair send to each other at the same time, and not one after the other."
    )
    budget_seconds: int = Field(300, ge=1, le=86_400, description="How long all rounds together may take.")
    timeout_seconds: int = Field(
        5, ge=1, le=600, description="A pair hangs if one message, or the answer of a node, takes longer than this."
    )
