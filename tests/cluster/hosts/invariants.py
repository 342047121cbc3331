"""These invariants hold once a job is over, whatever faults it had."""

from collections.abc import Collection, Mapping

from tests.cluster.hosts.cluster import Cluster, Gang, Steps
from tests.cluster.lab import eventually

from ringscope.contracts.protocol import STOP_GRACE_SECONDS
from ringscope_agent.process_group import KILL_SECONDS
from ringscope_agent.settings import AgentSettings

# No rank outlives its attempt by more, on any host: without an agent it waits so long for one, then it is asked to end,
# then it is killed.
OUTLIVING_SECONDS = AgentSettings.model_fields["away_seconds"].default + STOP_GRACE_SECONDS + KILL_SECONDS


def assert_clean(cluster: Cluster, gang: Gang, spooled: Steps, lossy_ranks: Collection[int] = ()) -> None:
    """No process, slot or row of the gang's job is left behind, and its nodes run the next job.

    Args:
        spooled: the steps that lay in the agents' spools some time after the fault.
        lossy_ranks: those of whose steps some never came to a spool.
    """
    assert_nothing_runs(cluster)
    cluster.wait_until_ready()
    assert_released(cluster, gang.job_id)
    assert_exactly_once(cluster, gang.job_id, spooled, lossy_ranks)
    following = cluster.submit(len(cluster.names), cycles=1)
    assert cluster.ended(following).state == "succeeded"
    assert {member["node"] for member in cluster.members(cluster.attempts(following)[-1]["id"])} == {*cluster.names}


def assert_released(cluster: Cluster, job_id: int) -> None:
    """Assert that every node has proven that it is free, and that all slots are free."""
    attempts = [attempt["id"] for attempt in cluster.attempts(job_id)]

    def phases() -> dict[str, set[str]]:
        members = [member for attempt in attempts for member in cluster.members(attempt)]
        return {"phases": {member["phase"] for member in members}}

    eventually(lambda: phases() == {"phases": {"clean"}}, "the proof of every node that it is clean")
    assert all(attempt["finished_at"] is not None for attempt in cluster.attempts(job_id))
    assert cluster.sql("SELECT * FROM allocations WHERE is_active") == []
    assert cluster.sql("SELECT * FROM quarantined_slots") == []
    with cluster.client() as client:
        assert {node.name: node.slots_busy for node in client.nodes()} == dict.fromkeys(cluster.names, 0)


def assert_exactly_once(cluster: Cluster, job_id: int, spooled: Steps, lossy_ranks: Collection[int]) -> None:
    """Assert that the server has every step of an agent's disk once, and that no step is missing before another."""
    stored: Steps = Steps()
    for attempt in cluster.attempts(job_id):
        stored.update(cluster.stored(attempt["id"]))
    assert stored
    assert {step: times for step, times in stored.items() if times != 1} == {}
    assert spooled - stored == Steps()
    assert _gaps(stored, lossy_ranks) == {}


def _gaps(stored: Mapping[tuple[int, int, int], int], lossy_ranks: Collection[int]) -> dict[tuple[int, int], int]:
    """Return how many steps of each (attempt, rank) are missing; complete and lossy ranks are left out."""
    numbers: dict[tuple[int, int], list[int]] = {}
    for attempt, rank, step in stored:
        if rank not in lossy_ranks:
            numbers.setdefault((attempt, rank), []).append(step)
    missing = {owner: max(steps) + 1 - len(steps) for owner, steps in numbers.items()}
    return {owner: count for owner, count in missing.items() if count}


def assert_nothing_runs(cluster: Cluster) -> None:
    """Assert that soon nothing but the agent and a spare shim runs on any host."""
    what = "the end of all but agents and spare shims"
    eventually(lambda: not any(map(cluster.strangers, cluster.names)), what, OUTLIVING_SECONDS)
