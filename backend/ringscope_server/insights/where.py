"""A rank's position and since when it has been there, in words and in numbers. Pure."""

from datetime import UTC, datetime
from typing import Any

from ringscope.contracts.words.units import format_size, plural
from ringscope.contracts.words.waits import collective_words
from ringscope_server.insights.windows import Sample


def named(sample: Sample) -> str:
    """Return the rank with its node."""
    return f"rank {sample.pulse.rank} on node {sample.node}"


def since_words(sample: Sample) -> str:
    """Return the moment at which it was first reported there, by the server's clock."""
    return f"since {datetime.fromtimestamp(sample.heard_at, UTC):%H:%M:%S} UTC"


def place_words(sample: Sample, call: str) -> str:
    """Return the rank's position, as the end of a sentence that begins with "has been"."""
    pulse = sample.pulse
    if pulse.has_finished:
        return "at the end of its program"
    if pulse.stage:
        return pulse.stage
    if pulse.collective:
        return f"in {collective_words(pulse.collective)}"
    step = f"in step {pulse.step} of {call}" if pulse.step is not None else ""
    if pulse.awaits is not None:
        return f"waiting for rank {pulse.awaits} {step or 'in a call'}"
    if step:
        return step
    return "inside a call of a library" if pulse.is_inside else "between two calls"


def rank_words(now: Sample, since: Sample, call: str) -> str:
    """Return a sentence on one rank: its position, since when, and how much it has done."""
    pulse = now.pulse
    done = "" if pulse.stage or pulse.has_finished else f", after {plural(pulse.iterations, 'iteration')}"
    size = f", at {format_size(pulse.size_bytes)}" if done and pulse.size_bytes else ""
    return f"{named(now)} has been {place_words(now, call)} {since_words(since)}{done}{size}"


def rank_evidence(rank: int, sample: Sample) -> dict[str, Any]:
    """Return the numbers of one rank of a hanging gang: its last iteration, message size and step, and the rank that it
    waits for.
    """
    pulse = sample.pulse
    return {
        "rank": rank,
        "node": sample.node,
        "state": pulse.state,
        "iterations": pulse.iterations,
        "size_bytes": pulse.size_bytes,
        "step": pulse.step,
        "awaits": pulse.awaits,
        "stage": pulse.stage,
        "has_finished": pulse.has_finished,
    }
