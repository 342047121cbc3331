"""Specification of a job that measures the links between its nodes, or finds what slows a collective. Pure."""

from typing import Any, Literal

from pydantic import Field

from ringscope.contracts.spec_model import SpecModel

_EXTRA_SECONDS = 120  # rank 0 looks at the budget between two rounds

PREFLIGHT_BYTES, PREFLIGHT_SECONDS = 256 << 10, 2
# On a busy machine a healthy rank may get no processor for seconds, and must not count as hanging.
PREFLIGHT_TIMEOUT_SECONDS = 10

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


def preflight_spec(wanted: bool | int) -> DiagnosisSpec | None:
    """Return the measurement before a job's program, by its placement.preflight; None without one.

    Its messages are small, so that three rounds of slow links take two seconds.
    """
    if wanted is False:
        return None
    seconds = PREFLIGHT_SECONDS if wanted is True else wanted
    return DiagnosisSpec(
        measure="cause",
        size_bytes=PREFLIGHT_BYTES,
        budget_seconds=seconds,
        timeout_seconds=PREFLIGHT_TIMEOUT_SECONDS,
    )


def with_places(data: dict[str, Any], placement: Any) -> dict[str, Any]:
    """Return a job of this kind with what it leaves out: one rank on each node, a time limit, and one attempt."""
    section = data["diagnosis"]
    default = DiagnosisSpec.model_fields["budget_seconds"].default
    budget = section.get("budget_seconds", default) if isinstance(section, dict) else default
    if isinstance(budget, int) and 0 < budget <= 86_400:
        data = {"time_limit_seconds": budget + _EXTRA_SECONDS} | data
    data = {"max_attempts": 1} | data
    if isinstance(placement, dict):
        names = placement.get("node_names")
        ranks = {"ranks": len(names)} if isinstance(names, list) and names else {}
        data["placement"] = {"exclusive": True, "ranks_per_node": 1} | ranks | placement
    return data
