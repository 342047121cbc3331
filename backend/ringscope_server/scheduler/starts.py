"""How long a gang may take to start: each part of it has a limit, which counts anew when a part is over. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from ringscope_server.db.models import Attempt, Member, Node
from ringscope_server.nodes.listening import Listening
from ringscope_server.nodes.names import listed

# On a busy node everything takes as many times as long as there are processes for each core, at most so many.
MOST_TIMES = 20.0


@dataclass(frozen=True)
class Overdue:
    """Why an attempt must stop now, and the node that is to blame, if one is."""

    reason: str
    sentence: str
    bad_node: str | None = None


@dataclass(frozen=True)
class StartLimit:
    """How long a part of a start may take, and for how long this server has listened to what becomes of gangs.

    Args:
        seconds: where the job does not say it.
        seconds_per_node: for each node instead, if that is longer: many nodes read the same programs, often from one
            disk, and each of them connects with each other one.
        load_average: of a node, by its id; None where it is not known.
    """

    seconds: float
    seconds_per_node: float
    listening: Listening
    load_average: Callable[[int], float | None] = lambda node_id: None

    def seconds_of(self, attempt: Attempt) -> float:
        """How long each part of this one's start may take now."""
        given = attempt.job.spec.get("start_seconds") or self.seconds
        least = max(given, self.seconds_per_node * len(attempt.members))
        return float(least * max(self._times(member.node) for member in attempt.members))

    def overdue(self, attempt: Attempt, now: datetime) -> Overdue | None:
        """Why this attempt must stop now; None while its start goes on. Agents tell again what no server has heard."""
        waited = self.listening.since(attempt.progressed_at or attempt.created_at, now)
        seconds = self.seconds_of(attempt)
        if waited <= timedelta(seconds=seconds):
            return None
        late, sentence = _part(attempt, f"within {seconds:.0f} s")
        loads = "; ".join(filter(None, (self._load_words(member.node) for member in late)))
        more = f" The limit was raised for the load: {loads}." if loads else ""
        sentence = f"{sentence}{more} If that is no fault, give the job a longer start_seconds."
        return Overdue("start_timeout", sentence, late[0].node.name if len(late) == 1 else None)

    def _times(self, node: Node) -> float:
        average = self.load_average(node.id)
        return 1.0 if average is None else min(MOST_TIMES, max(1.0, average / _cores(node)))

    def _load_words(self, node: Node) -> str:
        if self._times(node) <= 1.0:
            return ""
        return f"{node.name} has a load of {self.load_average(node.id):.0f} on {_cores(node)} cores"


def _cores(node: Node) -> int:
    return max(1, int(node.inventory.get("cores") or 1))


def _part(attempt: Attempt, time: str) -> tuple[list[Member], str]:
    """The members that are late, and the part of the start that they have not come through."""
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
