"""Finds, among the processes of this node's part, launchers that are stopped or frozen, and ranks that have ended.

Pipes and sockets do not show this, because descendants of a rank may hold them open.
"""

from collections.abc import Mapping

from ringscope_agent import process_group
from ringscope_agent.launch.outcome import RankBoard
from ringscope_agent.launch.stopped import STANDSTILLS, STOPPED_SECONDS, Stopped, StoppedWatch
from ringscope_agent.process_group import Process

# The time that Hydra gets to end by itself once the last of its ranks has ended.
LEFT_SECONDS = 3.0
# What ranks that are done get to end, once one beside them has been stopped after it was done: they may wait for it in
# MPI_Finalize, and have nothing left to tell.
FINISH_SECONDS = 8.0


class LauncherWatch:
    """Looks repeatedly, at moments of a monotonic clock.

    Args:
        board: what the ranks of this node reported.
        is_alone: whether the gang has no other node, so that no rank waits for one elsewhere.
    """

    def __init__(self, board: RankBoard, is_alone: bool) -> None:
        self._board = board
        self._is_alone = is_alone
        self._ranks: dict[int, Process] = {}
        self._ended: set[int] = set()
        self._launchers = StoppedWatch()
        self._done = StoppedWatch()
        self._over_since: float | None = None
        self._starting = StoppedWatch()
        self.stopped: Stopped | None = None  # a launcher
        self.stopped_rank: Stopped | None = None  # one that has not said hello yet
        self.stopped_done: Stopped | None = None  # a rank that was done
        self.ranks_are_over = False  # all of them were done and have ended, and that is not just now

    def look(self, launchers: Mapping[str, int], proxy_pid: int | None, now: float) -> None:
        """Take in the states of the launchers, by their names, and of the ranks, which are children of the proxy."""
        states = {name: process_group.standstill_of(pid) for name, pid in launchers.items()}
        self.stopped = self._launchers.look(launchers, states, now)
        starting = self._starting_ranks(proxy_pid)
        states = {name: process_group.standstill_of(pid) for name, pid in starting.items()}
        self.stopped_rank = self._starting.look(starting, states, now)
        self._look_at_ranks()
        if not (self._board.all_done and self._all_ended_or_stopped(now)):
            self._over_since = None
        elif self._over_since is None:
            self._over_since = now
        self.ranks_are_over = self._over_since is not None and now - self._over_since >= LEFT_SECONDS

    @property
    def lingering_pids(self) -> dict[int, int]:
        """Return the pids, by rank, of ranks that are done and have not ended, while ranks of other nodes may wait for
        them.
        """
        if self._is_alone:
            return {}
        return {rank: process.pid for rank, process in self._ranks.items() if rank in self._board.done - self._ended}

    def _starting_ranks(self, proxy_pid: int | None) -> dict[str, int]:
        """Return the pids of the ranks that have not started, by their names."""
        if proxy_pid is None or self._board.all_started:
            return {}
        pids = set(process_group.children_of(proxy_pid)) - set(self._board.pids.values())
        ranks = {pid: process_group.environment_of(pid).get(b"PMI_RANK", b"").decode() for pid in sorted(pids)}
        return {f"Rank {rank}" if rank else f"The rank with pid {pid}": pid for pid, rank in ranks.items()}

    def _look_at_ranks(self) -> None:
        for rank, pid in self._board.pids.items():
            found = process_group.read(pid)
            known = self._ranks.setdefault(rank, found) if found is not None else None
            if found is None or known is None or known.started != found.started:
                self._ended.add(rank)

    def _all_ended_or_stopped(self, now: float) -> bool:
        """Return whether no rank of this node can do any more.

        One that is stopped after it was done is not waited for where no other node's ranks do so, nor for long are
        those that were done as well.
        """
        left = {f"Rank {rank}": self._ranks[rank].pid for rank in self._board.ranks if rank not in self._ended}
        states = {name: process_group.standstill_of(pid) for name, pid in left.items()}
        self.stopped_done = self._done.look(left, states, now)
        if not left or self.stopped_done is None or not self._is_alone:
            return not left
        is_late = self.stopped_done.seconds >= STOPPED_SECONDS + FINISH_SECONDS
        return is_late or set(states.values()) <= set(STANDSTILLS)
