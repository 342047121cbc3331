"""Elastic training jobs: those that may continue with fewer ranks. Pure."""

from ringscope.contracts.training import MIRRORED, SHARDED, TrainingSpec

ELASTIC = MIRRORED | SHARDED
# Reasons for the end of an attempt that an elastic job survives: a rank, its node or its launcher was lost.
LOSSES = frozenset({"rank_signal", "node_lost", "agent_restarted", "launcher_lost"})
KILLED = "rank_signal"  # the next attempt has a rank less: what killed this one would strike again
RESIZED = "resized"  # ended at the end of an epoch, to continue with more ranks
# Each rank keeps what these did not send yet; it is lost with the rank, and dropped with another number of ranks.
_OF_A_RANK = ("top_k", "powersgd")
# As parts of a sharded job's sums these need a power of two of ranks, or equally many on each node.
_OF_A_NUMBER = ("halving_doubling", "hierarchical")

Refusal = tuple[tuple[str, str], str]


def refusal(training: TrainingSpec | None) -> Refusal | None:
    """Return the field that a job with ``min_ranks`` must change and why; None if its training can be elastic."""
    if training is None or training.strategy not in ELASTIC:
        what = "only training jobs" if training is None else f"{training.strategy}"
        can = "can run with fewer ranks" if training is None else "cannot continue with fewer ranks"
        others = ", ".join(sorted(ELASTIC))
        return ("placement", "min_ranks"), f"{what} {can}; leave it out, or train with one of {others}."
    if training.compression in _OF_A_RANK:
        sentence = (
            f"what {training.compression} has not sent yet is lost with its rank; choose none or fp16, or leave out "
            "placement.min_ranks."
        )
        return ("training", "compression"), sentence
    if training.strategy in SHARDED and training.all_reduce in _OF_A_NUMBER:
        sentence = (
            f"{training.all_reduce} leaves equal shares only with some numbers of ranks; choose auto, or leave out "
            "placement.min_ranks."
        )
        return ("training", "all_reduce"), sentence
    return None
