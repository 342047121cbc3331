"""Why a node's share of a gang ended (pure: records and exit codes in, one reason and one sentence out)."""

import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ringscope.protocol import GangMember
from ringscope.record import EXIT_VERIFICATION_FAILED, Check, Done, Failure, Hello, Record
from ringscope_agent.hydra import ExitReport

_ENDED_BY_OTHERS = (-signal.SIGKILL, -signal.SIGTERM)


@dataclass(frozen=True)
class Outcome:
    """The content of an ``ended`` report."""

    reason: str
    message: str = ""
    rank: int | None = None
    exit_code: int | None = None


@dataclass
class RankBoard:
    """What the ranks of this node said about themselves."""

    ranks: range
    pids: dict[int, int] = field(default_factory=dict)
    done: set[int] = field(default_factory=set)
    lost: list[int] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)

    def fold(self, record: Record) -> None:
        """Take in one record."""
        match record:
            case Hello():
                self.pids[record.rank] = record.pid
            case Done():
                self.done.add(record.rank)
            case Failure():
                self.failures.append(record)
            case Check():
                self.checks.append(record)
            case _:
                pass

    def hang_up(self, rank: int) -> None:
        """The connection of a rank closed; before Done that means it is lost."""
        if rank not in self.done and rank not in self.lost:
            self.lost.append(rank)

    @property
    def all_said_hello(self) -> bool:
        """Every rank of this node is alive and wired up."""
        return all(rank in self.pids for rank in self.ranks)

    @property
    def all_done(self) -> bool:
        """Every rank of this node finished its program."""
        return all(rank in self.done for rank in self.ranks)

    @property
    def has_trouble(self) -> bool:
        """A rank failed or vanished, so the gang cannot finish whatever Hydra thinks of it."""
        return bool(self.failures or self.lost)


def node_of_rank(gang: Sequence[GangMember], rank: int) -> str:
    """Name of the node that runs the rank."""
    for member in gang:
        if rank < member.slots:
            return member.node
        rank -= member.slots
    return "unknown"


@dataclass(frozen=True)
class Evidence:
    """Everything known when a node's share ended.

    Args:
        exit_code: of mpiexec, or of the proxy on the other nodes; None while it has not ended.
        last_words: the last line of standard error of each rank; None is the launcher.
        steps: of a schedule in which ranks of this node were at the end.
        hydra_hung: whether the agent had to kill the ranks of this node before Hydra would end.
        killed_for_memory: whether the kernel's out-of-memory killer struck on this machine meanwhile.
    """

    node: str
    gang: Sequence[GangMember]
    board: RankBoard
    exits: ExitReport
    exit_code: int | None
    last_words: dict[int | None, str]
    steps: Mapping[int, int] = field(default_factory=dict)
    hydra_hung: bool = False
    killed_for_memory: bool = False


def decide(evidence: Evidence) -> Outcome:
    """The most telling reason: a rank's own account, then wrong results, then exit codes."""
    board = evidence.board
    rank, code = _bad_end(evidence)
    if board.failures:
        # A rank that lost a peer also fails; the one with the wrong result is the cause.
        told = min(board.failures, key=lambda f: (f.reason != "verification_failed", f.lost_rank is not None))
        if told.lost_rank is not None:
            return _lost(evidence, told, told.lost_rank)
        return Outcome(told.reason, told.message, told.rank, code if told.rank == rank else None)
    if board.checks:
        return _wrong_result(evidence.node, board.checks[0])
    if code is None:
        return Outcome("completed") if board.all_done else _unfinished(evidence)
    if rank is None:
        return _launcher_failed(evidence, code)
    return _bad_exit(evidence, rank, code)


def _bad_exit(evidence: Evidence, rank: int, code: int) -> Outcome:
    where = f"Rank {rank} on node {node_of_rank(evidence.gang, rank)}"
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else "a signal"
        if -code == signal.SIGKILL and evidence.killed_for_memory:
            return Outcome("oom", f"{where} was killed because the machine ran out of memory.", rank, code)
        step = f" in step {evidence.steps[rank]}" if rank in evidence.steps else ""
        return Outcome("rank_signal", f"{where} was killed by {name} ({-code}){step}.", rank, code)
    reason = "verification_failed" if code == EXIT_VERIFICATION_FAILED else "rank_exit"
    return Outcome(reason, _with_last_words(f"{where} ended with exit code {code}", evidence, rank), rank, code)


def _lost(evidence: Evidence, told: Failure, lost_rank: int) -> Outcome:
    """How the rank ended that another one misses, and in which step."""
    code = next((end.exit_code for end in evidence.exits.ends if end.rank == lost_rank), None)
    if code is None:
        return Outcome("rank_exit", told.message, lost_rank)
    how = _bad_exit(evidence, lost_rank, code)
    return replace(how, message=f"{how.message} {told.message}")


def _bad_end(evidence: Evidence) -> tuple[int | None, int | None]:
    """The rank that ended badly first, and its exit code (or minus its signal); (None, None) when none did."""
    exits, board = evidence.exits, evidence.board
    # Ranks that were killed afterwards have bad statuses too; the first that hung up here is the culprit.
    order = {rank: place for place, rank in enumerate(board.lost)}
    ends = [
        end
        for end in exits.ends
        if not (evidence.hydra_hung and end.exit_code in _ENDED_BY_OTHERS and order.get(end.rank, 1) != 0)
    ]
    if ends:
        end = min(ends, key=lambda one: (one.exit_code in _ENDED_BY_OTHERS, order.get(one.rank, len(order))))
        return end.rank, end.exit_code
    if evidence.hydra_hung:
        return None, None
    code = -exits.signal if exits.signal is not None else evidence.exit_code
    if code in (0, None):
        return None, None
    by_pid = {pid: rank for rank, pid in board.pids.items()}
    if exits.failed_pid in by_pid:
        return by_pid[exits.failed_pid], code
    return (board.lost[0] if board.lost else None), code


def _wrong_result(node: str, check: Check) -> Outcome:
    place = "in place" if check.in_place else "out of place"
    return Outcome(
        "verification_failed",
        f"Rank {check.rank} on node {node} found {check.wrong} wrong elements after {check.op} "
        f"({check.algorithm}, {place}) of {check.size_bytes} bytes: element {check.first_index} "
        f"is {check.got} and should be {check.want}.",
        check.rank,
    )


def _unfinished(evidence: Evidence) -> Outcome:
    board = evidence.board
    missing = [*board.lost, *(rank for rank in board.ranks if rank not in board.done)]
    if not board.pids:
        return _launcher_failed(evidence, evidence.exit_code)
    where = f"Rank {missing[0]} on node {evidence.node}"
    return Outcome(
        "rank_exit",
        _with_last_words(f"{where} ended before it had finished its program", evidence, missing[0]),
        missing[0],
    )


def _launcher_failed(evidence: Evidence, code: int | None) -> Outcome:
    ready = evidence.board.all_said_hello
    what = "The MPI launcher" if ready else "The launch of the ranks"
    ending = "failed" if code is None else f"ended with exit code {code}"
    sentence = _with_last_words(f"{what} on node {evidence.node} {ending}", evidence)
    return Outcome("rank_exit" if ready else "launch_failed", sentence, None, code)


def _with_last_words(sentence: str, evidence: Evidence, rank: int | None = None) -> str:
    words = evidence.last_words.get(rank)
    if words is None and rank is None:
        words = next(iter(evidence.last_words.values()), None)
    return f"{sentence}: {words}" if words else f"{sentence}."
