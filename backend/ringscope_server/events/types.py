"""The types of events, and the patterns by which people choose among them. Pure."""

from collections.abc import Iterable

# What happens to each kind of thing, with its meaning; an event's type is the noun, a dot and one of these words.
WORDS: dict[str, dict[str, str]] = {
    "job": {
        "submitted": "A user or a schedule submitted a job.",
        "imported": "A user stored a result of another tool as a job.",
        "adopted": "A user decided that an imported job counts as a good run of this cluster.",
        "disowned": "A user decided that an adopted job does not count any more.",
        "changed": "A user changed a waiting job, such as its priority.",
        "held": "A user held a queued job, so that it does not start.",
        "released": "A user released a held job into the queue.",
        "queued": "A job entered the queue.",
        "requeued": "An attempt failed, and the job waits for another one.",
        "starting": "A job got its slots, and its nodes start the ranks.",
        "running": "All ranks of a job run.",
        "stopping": "The nodes end the processes of a job.",
        "succeeded": "A job ended and delivered all results.",
        "failed": "A job ended with an error.",
        "cancelled": "A job was cancelled.",
        "not_to_be_retried": "A user cancelled a job that was stopping for another attempt.",
        "judged_low": "The bandwidth of a job that a schedule submitted is lower than expected.",
        "algorithm_changed": "A training job sums gradients by another algorithm from now on, with the reason.",
        "insight_opened": "The server found a problem of a running job, such as a straggler.",
        "insight_closed": "A problem of a job is over.",
    },
    "search": {
        "candidate_left": "A candidate of a strategy search left, because it was slower or its runs failed.",
        "run_lost": "A run of a strategy search was lost with a killed rank or by an error.",
    },
    "diagnosis": {
        "blamed": "A diagnosis names a node, link or boundary that is slow, lossy or gone.",
        "not_drained": "A blamed node was not drained because its schedule allows no more drained nodes.",
    },
    "node": {
        "joined": "A new node joined with a join token.",
        "registered": "A node's agent registered.",
        "ready": "A node passes its checks again.",
        "degraded": "A node fails one of its checks.",
        "lost": "A node's heartbeats stopped, or its agent is too old for the server.",
        "back": "A lost node sends heartbeats again.",
        "labelled": "A user changed the labels of a node.",
        "drained": "A node takes no new jobs.",
        "resumed": "A drained node takes jobs again.",
        "quarantined": "Slots of a node are blocked because their processes could not be ended.",
        "unquarantined": "No process is left on quarantined slots, so that they are free again.",
        "slot_released": "A user released a quarantined slot.",
        "removed": "A user removed a node.",
        "left": "A node left because its time or its token ended.",
    },
    "schedule": {
        "created": "A user made a schedule.",
        "changed": "A user changed a schedule.",
        "deleted": "A user removed a schedule.",
        "run": "A user submitted the job of a schedule at once.",
        "fired": "A schedule submitted its job.",
        "skipped": "A schedule submitted nothing because its last job has not ended.",
        "missed": "No server was running at a time of a schedule.",
        "failed": "A schedule could not submit its job.",
    },
    "webhook": {
        "created": "A user made a webhook.",
        "changed": "A user changed a webhook.",
        "deleted": "A user removed a webhook.",
        "disabled": "The receiver of a webhook asked for no more messages.",
        "tested": "A user sent a test message to a webhook.",
        "redelivered": "A user sent a message to a webhook again.",
    },
    "token": {
        "created": "A token was made.",
        "rotation_wanted": "A user asked for a new secret of an agent's token.",
        "rotated": "An agent fetched its new token.",
        "revoked": "A token was revoked.",
    },
    "login_link": {"created": "A link that logs a browser in was made."},
    "session": {"created": "A browser logged in.", "ended": "A browser logged out."},
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
