"""The time limits of a gang's start: each part has a limit, which restarts when a part is over. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from ringscope_server.db.models import Attempt, Member, Node
from ringscope_server.nodes.listening import Listening
from ringscope_server.nodes.names import listed

# On a busy node everything takes longer by the number of processes for each core, up to this factor.
MOST_TIMES = 20.0
# The second attempt has twice the limit of the first one, later ones have this many times that limit.
MOST_TIMES_OF_RETRIES = 4


@dataclass(frozen=True)
class Overdue:
    """The reason for which an attempt must stop now, and the node to blame, if any.

    ``start_limit_seconds`` is the limit of a part of its start, before it was raised; None if another limit is over.
    """

    reason: str
    sentence: str
    bad_node: str | None = None
    start_limit_seconds: float | None = None


@dataclass(frozen=True)
class StartLimit:
    """The time limit of a part of a start, and how long this server has listened for reports.

    Args:
        seconds: the limit of a job that gives none.
        seconds_per_node: the limit for each node, if the product is longer: many nodes read the same programs, often
            from one disk, and each of them connects to every other one.
        load_average: of a node, by its id; None if it is not known.
    """

    seconds: float
    seconds_per_node: float
    listening: Listening
    load_average: Callable[[int], float | None] = lambda node_id: None

    def seconds_of(self, attempt: Attempt) -> float:
        """Return how long each part of this attempt's start may take now."""
        load = max(self._times(member.node) for member in attempt.members)
        return self.least_seconds_of(attempt) * _times_of_retry(attempt.number) * load

    def least_seconds_of(self, attempt: Attempt) -> float:
        """Return the limit of a first attempt on quiet nodes, which load and retries raise."""
        given = attempt.job.spec.get("start_seconds") or self.seconds
        return float(max(given, self.seconds_per_node * len(attempt.members)))

    def overdue(self, attempt: Attempt, now: datetime) -> Overdue | None:
        """Return why this attempt must stop now; None while its start continues. Agents repeat reports that no server
        got.
        """
        waited = self.listening.since(attempt.progressed_at or attempt.created_at, now)
        seconds = self.seconds_of(attempt)
        if waited <= timedelta(seconds=seconds):
            return None
        late, sentence = _part(attempt, f"within {seconds:.0f} s")
        loads = "; ".join(filter(None, (self._load_words(member.node) for member in late)))
        more = f" The limit was raised for the load: {loads}." if loads else ""
        sentence = f"{sentence}{more} If that is no fault, give the job a longer start_seconds."
        bad_node = late[0].node.name if len(late) == 1 else None
        return Overdue("start_timeout", sentence, bad_node, self.least_seconds_of(attempt))

    def _times(self, node: Node) -> float:
        average = self.load_average(node.id)
        return 1.0 if average is None else min(MOST_TIMES, max(1.0, average / _cores(node)))

    def _load_words(self, node: Node) -> str:
        if self._times(node) <= 1.0:
            return ""
        return f"{node.name} has a load of {self.load_average(node.id):.0f} on {_cores(node)} cores"


def _times_of_retry(number: int) -> int:
    return 1 if number <= 1 else 2 if number == 2 else MOST_TIMES_OF_RETRIES


def _cores(node: Node) -> int:
    return max(1, int(node.inventory.get("cores") or 1))


def _part(attempt: Attempt, time: str) -> tuple[list[Member], str]:
    """Return the members that are late, and the part of the start that they have not completed."""
    members = attempt.members
    unready = [member for member in members if member.phase == "assigned"]
    if unready:
        count = f"{len(unready)} of {len(members)} nodes"
        return unready, f"No rank was started, as {count} were not ready {time}: {_names(unready)}."
    if members[0].proxy is None:
        first = members[:1]
        return first, f"mpiexec on {_names(first)} was not ready to start ranks {time}, though all nodes were ready."
    late = [member for member in members if member.phase == "ready"]
    return late, f"The ranks did not start {time} on {_names(late)}, though mpiexec was ready."


def _names(members: list[Member]) -> str:
    return listed([member.node.name for member in members])
