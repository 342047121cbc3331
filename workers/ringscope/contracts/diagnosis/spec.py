"""Specification of a job that measures the links between its nodes, or finds what slows a collective. Pure."""

from typing import Any, Literal

from pydantic import Field

from ringscope.contracts.spec_model import SpecModel

_EXTRA_SECONDS = 120  # rank 0 looks at the budget between two rounds

PREFLIGHT_BYTES, PREFLIGHT_SECONDS = 256 << 10, 2
# On a busy machine a healthy rank may get no processor for seconds, and must not count as hanging.
PREFLIGHT_TIMEOUT_SECONDS = 10

Measure = Literal["links", "cause"]
Per = Literal["node", "rail"]


class DiagnosisSpec(SpecModel):
    """Pairs of nodes that are measured in rounds, all pairs of a round at the same time."""

    measure: Measure = Field(
        "cause",
        description="links measures every pair of nodes once; cause measures the links of the ring and then only what "
        "is needed to name a slow node, link or boundary.",
    )
    size_bytes: int = Field(4 << 20, ge=1 << 10, le=1 << 30, description="Size of a message.")
    per: Per = Field(
        "node",
        exclude_if=lambda per: per == "node",  # agents of earlier versions refuse the field
        description="node: one rank on each node. rail: placement.ranks_per_node ranks on each node, numbered from 0; "
        "rail i is measured between the ranks i of two nodes, one rail of a node at a time.",
    )
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
    """Return a job of this kind with what it leaves out: its number of ranks, a time limit, and one attempt."""
    section = data["diagnosis"]
    default = DiagnosisSpec.model_fields["budget_seconds"].default
    budget = section.get("budget_seconds", default) if isinstance(section, dict) else default
    if isinstance(budget, int) and 0 < budget <= 86_400:
        data = {"time_limit_seconds": budget + _EXTRA_SECONDS} | data
    data = {"max_attempts": 1} | data
    if isinstance(placement, dict):
        names = placement.get("node_names")
        # With rails the number of ranks on a node has no default; without it the job is refused by its field.
        is_per_rail = isinstance(section, dict) and section.get("per") == "rail"
        shape = {"exclusive": True} | ({} if is_per_rail else {"ranks_per_node": 1}) | placement
        each = shape.get("ranks_per_node", 1)
        if isinstance(names, list) and names and isinstance(each, int):
            shape = {"ranks": len(names) * each} | shape
        data["placement"] = shape
    return data


def misplaced(spec: DiagnosisSpec, ranks: int, ranks_per_node: int | None) -> tuple[str, str] | None:
    """Return the field of the placement that does not suit a diagnosis, and a sentence; None if all do."""
    if spec.per == "rail" and (ranks_per_node is None or ranks_per_node < 2):
        there = ranks_per_node or "an open number"
        sentence = f"a diagnosis per rail runs at least 2 ranks on each node, not {there}; give the number of rails."
        return "ranks_per_node", sentence
    if spec.per == "node" and ranks_per_node != 1:
        sentence = "a diagnosis runs one rank on each node; leave it out, or set diagnosis.per to rail."
        return "ranks_per_node", sentence
    if ranks < 2 * (ranks_per_node or 1):
        return "ranks", "one node has no link to another one; give at least 2 nodes."
    return None
