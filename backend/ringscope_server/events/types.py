"""The types of events, and the patterns by which people choose among them. Pure."""

from collections.abc import Iterable

# What happens to each kind of thing; an event's type is the noun, a dot and one of these.
WORDS: dict[str, tuple[str, ...]] = {
    "job": (
        "submitted",
        "changed",
        "held",
        "released",
        "queued",
        "requeued",
        "starting",
        "running",
        "stopping",
        "succeeded",
        "failed",
        "cancelled",
        "not_to_be_retried",
        "insight_opened",
        "insight_closed",
    ),
    "node": (
        "joined",
        "registered",
        "ready",
        "degraded",
        "lost",
        "back",
        "labelled",
        "drained",
        "resumed",
        "quarantined",
        "unquarantined",
        "slot_released",
        "removed",
        "left",
    ),
    "schedule": ("created", "changed", "deleted", "run", "fired", "skipped", "missed", "failed"),
    "webhook": ("created", "changed", "deleted", "disabled", "tested", "redelivered"),
    "token": ("created", "rotation_wanted", "rotated", "revoked"),
    "login_link": ("created",),
    "session": ("created", "ended"),
}
TYPES = tuple(f"{noun}.{word}" for noun, words in WORDS.items() for word in words)


def matches(patterns: Iterable[str], event_type: str) -> bool:
    """Return whether one of the patterns is the type itself, ``*``, or its noun with ``.*``."""
    return not {event_type, "*", f"{event_type.partition('.')[0]}.*"}.isdisjoint(patterns)


def check_pattern(pattern: str) -> str:
    """The pattern itself. Raises ValueError with a sentence when no event could ever match it."""
    noun, _, word = pattern.partition(".")
    if pattern == "*" or pattern in TYPES or (noun in WORDS and word == "*"):
        return pattern
    if noun in WORDS:
        raise ValueError(
            f"there is no event {pattern!r}; choose one of {noun}.*, {noun}.{f', {noun}.'.join(WORDS[noun])}."
        )
    raise ValueError(
        f"there is no event {pattern!r}; choose *, {', '.join(f'{noun}.*' for noun in WORDS)} or one of them."
    )
