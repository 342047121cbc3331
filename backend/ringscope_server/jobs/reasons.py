"""Reasons for the end of an attempt: the state of its job then, and whether it is retried."""

from dataclasses import dataclass
from typing import Literal

from ringscope.contracts.columns import cut
from ringscope.contracts.elastic import RESIZED
from ringscope.contracts.protocol import Report

Retry = Literal["never", "elsewhere", "again", "always"]
EndState = Literal["succeeded", "failed", "cancelled"]

RETRIES: dict[Retry, str] = {
    "never": "The cause is the program or a person: another attempt would end in the same way.",
    "elsewhere": "The job is retried if the cluster can hold the gang without the nodes to blame.",
    "again": "The job is retried, on other nodes if possible.",
    "always": "The job is retried at once; the attempt does not count.",
}


@dataclass(frozen=True)
class Reason:
    """The consequences of a reason.

    Args:
        end: the state of the job if it is not retried.
        blames_node: whether the reporting node is to blame, so that the next attempt avoids it if it can.
        may_follow_loss: whether the remaining nodes also report this after the loss of another node.
        costs_no_progress: whether training is retried for it, which continues from a checkpoint.
        counts: whether the attempt counts against ``max_attempts``; one that does not must leave out another node.
        is_servers: whether only people and the server know of it, so that a node's report of it does not count.
    """

    name: str
    end: EndState
    retry: Retry
    meaning: str
    blames_node: bool = False
    may_follow_loss: bool = False
    costs_no_progress: bool = False
    counts: bool = True
    is_servers: bool = False

    @property
    def may_be_retried(self) -> bool:
        """Return whether an attempt that stops for it may be followed by another one."""
        return self.retry != "never" or self.may_follow_loss


REASONS: tuple[Reason, ...] = (
    Reason(
        "completed", "succeeded", "never", "Every rank finished, every row or epoch arrived and no result was wrong."
    ),
    Reason("user_cancelled", "cancelled", "never", "Somebody cancelled it.", is_servers=True),
    Reason("time_limit", "failed", "never", "It ran longer than `time_limit_seconds`.", is_servers=True),
    Reason("queue_timeout", "failed", "never", "It waited longer than `queue_timeout_seconds`.", is_servers=True),
    Reason("rank_exit", "failed", "never", "A rank ended with an error.", may_follow_loss=True),
    Reason(
        "rank_signal",
        "failed",
        "never",
        "A rank was killed by a signal.",
        may_follow_loss=True,
        costs_no_progress=True,
    ),
    Reason("oom", "failed", "never", "A rank ran out of memory."),
    Reason("verification_failed", "failed", "never", "A result was wrong."),
    Reason("diverged", "failed", "never", "A loss, gradient or parameter was not finite."),
    Reason(
        "results_missing",
        "failed",
        "never",
        "The ranks finished, but rows of the sweep, epochs, runs of a search, or a verdict, are missing.",
        is_servers=True,
    ),
    Reason(
        "launch_failed",
        "failed",
        "elsewhere",
        "A node refused it, or its launcher failed.",
        blames_node=True,
        may_follow_loss=True,
    ),
    Reason(
        "preflight_failed",
        "failed",
        "elsewhere",
        "A node was slow by interval before the program began; the attempt does not count.",
        blames_node=True,
        counts=False,
    ),
    Reason(
        "links_cut",
        "failed",
        "never",
        "Nodes of a diagnosis did not reach each other; it continues without one of them if two are left.",
        is_servers=True,
    ),
    Reason(
        "start_timeout",
        "failed",
        "again",
        "A part of the start took longer than `start_seconds`.",
        blames_node=True,
        may_follow_loss=True,
        is_servers=True,
    ),
    Reason("node_lost", "failed", "again", "A node's heartbeats stopped.", blames_node=True, is_servers=True),
    Reason(
        "hang_detected", "failed", "again", "Ranks were alive but made no progress.", blames_node=True, is_servers=True
    ),
    Reason("agent_restarted", "failed", "again", "A node's agent was stopped while the ranks ran.", blames_node=True),
    Reason(
        "launcher_lost",
        "failed",
        "again",
        "A node's mpiexec, proxy or shim was killed, stopped or frozen, or the shim hung.",
        blames_node=True,
    ),
    Reason("server_error", "failed", "again", "The service made a mistake.", is_servers=True),
    Reason("preempted", "failed", "always", "A job of higher priority took its slots.", is_servers=True),
    Reason(
        RESIZED,
        "failed",
        "always",
        "An elastic job continues with more ranks, because slots became free.",
        is_servers=True,
    ),
)
_MOST_OF_A_WORD = 100  # length in characters
_BY_NAME = {reason.name: reason for reason in REASONS}


def reason_of(name: str) -> Reason:
    """Return the consequences of a reason; an unknown one, from another version, is a failure without a retry."""
    return _BY_NAME.get(name) or Reason(name, "failed", "never", "")


def told_by_node(report: Report) -> Report:
    """Return the report with a reason that a node may give; another reason only means that the ranks ended.

    A reason that is unknown here, perhaps from a newer agent, is put into the message.
    """
    known = _BY_NAME.get(report.reason or "rank_exit")
    if known is None:
        word = cut(report.reason or "", _MOST_OF_A_WORD)
        message = f"The reason {word!r} is unknown to this server. {report.message}".rstrip()
        return report.model_copy(update={"reason": "rank_exit", "message": message})
    return report.model_copy(update={"reason": "rank_exit" if known.is_servers else known.name})
