"""Why a node's part of a gang ended (pure: records and exit codes in, one reason and one sentence out)."""

import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ringscope.contracts.protocol import GangMember, Load, rank_words
from ringscope.contracts.rank_process import EXIT_VERIFICATION_FAILED
from ringscope.contracts.record import Check, Done, Failure, Hello, Record, Started
from ringscope.contracts.words.units import plural
from ringscope_agent.launch.hydra import ExitReport

_ENDED_BY_OTHERS = (-signal.SIGKILL, -signal.SIGTERM)


@dataclass(frozen=True)
class Outcome:
    """The content of an ``ended`` report.

    ``is_hearsay`` means that another node may know the cause better. ``load`` is the load while ranks were there.
    """

    reason: str
    message: str = ""
    rank: int | None = None
    exit_code: int | None = None
    is_hearsay: bool = field(default=False, compare=False)
    load: Load | None = field(default=None, compare=False)


@dataclass
class RankBoard:
    """The ranks' own reports on this node."""

    ranks: range
    pids: dict[int, int] = field(default_factory=dict)
    done: set[int] = field(default_factory=set)
    hang_ups: dict[int, int] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)

    def fold(self, record: Record) -> None:
        """Take in one record."""
        match record:
            case Started() | Hello():
                self.pids[record.rank] = record.pid
            case Done():
                self.done.add(record.rank)
            case Failure():
                self.failures.append(record)
            case Check():
                self.checks.append(record)
            case _:
                pass

    def hang_up(self, rank: int, place: int) -> None:
        """Note that a rank's connection closed, after ``place`` others; before Done this means a lost rank."""
        if rank not in self.done:
            self.hang_ups.setdefault(rank, place)

    @property
    def lost(self) -> list[int]:
        """The lost ranks, in the order in which they were lost."""
        return sorted(self.hang_ups, key=self.hang_ups.__getitem__)

    def first_lost(self, rank: int) -> int:
        """Return the rank of this node that was lost first, if this one was lost at all; the ranks that are lost after
        it look just the same to Hydra and to its peers.
        """
        return self.lost[0] if rank in self.lost else rank

    @property
    def live_pids(self) -> dict[int, int]:
        """Return the pids, by rank, of the ranks that have started and have not ended."""
        return {rank: pid for rank, pid in self.pids.items() if rank not in self.done and rank not in self.lost}

    @property
    def all_started(self) -> bool:
        """Return whether every rank of this node lives and MPI is up."""
        return all(rank in self.pids for rank in self.ranks)

    @property
    def all_done(self) -> bool:
        """Return whether every rank of this node finished its program."""
        return all(rank in self.done for rank in self.ranks)

    @property
    def has_trouble(self) -> bool:
        """Return whether a rank failed or vanished, so that the gang cannot finish even if Hydra still waits."""
        return bool(self.failures or self.lost)


def node_of_rank(gang: Sequence[GangMember], rank: int) -> str:
    """Return the name of the node that runs the rank."""
    for member in gang:
        if rank < member.slots:
            return member.node
        rank -= member.slots
    return "unknown"


@dataclass(frozen=True)
class Evidence:
    """Everything known when a node's part of a gang ended.

    Args:
        exit_code: of mpiexec; None while it runs, and on all nodes but the first.
        last_words: the last line of standard error of each rank; None is the launcher.
        steps: of a schedule in which ranks of this node were at the end.
        call: a suffix " of …" for such a step: the job's users know other steps.
        hydra_hung: whether the agent had to kill the ranks of this node before Hydra would end.
        killed_for_memory: whether the kernel's out-of-memory killer struck on this machine meanwhile.
        proxy_code: exit code of this node's proxy; None while it has not ended.
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
    proxy_code: int | None = None
    call: str = ""


def decide(evidence: Evidence) -> Outcome:
    """Return the most informative reason: a rank's own report, then wrong results, then exit codes."""
    board = evidence.board
    rank, code = _bad_end(evidence)
    # A rank that lost a peer also fails; the one with the wrong result is the cause.
    failures = sorted(board.failures, key=lambda f: (f.reason != "verification_failed", not f.is_cause, f.is_hearsay))
    told = failures[0] if failures else None
    if told is not None and told.is_cause:
        return Outcome(told.reason, told.message, told.rank, code if told.rank == rank else None)
    if (killed := _killed_launcher(evidence)) is not None:
        return killed
    if told is not None and told.lost_rank is not None:
        return _lost(evidence, told, board.first_lost(told.lost_rank))
    if told is not None:
        return _cut_off(evidence, told)
    if board.checks:
        return _wrong_result(evidence.node, board.checks[0])
    if code is None:
        return Outcome("completed") if board.all_done else _unfinished(evidence)
    if rank is None:
        return _launcher_failed(evidence, code)
    return _bad_exit(evidence, rank, code)


def _killed_launcher(evidence: Evidence) -> Outcome | None:
    """Return the outcome if the launcher was killed: its ranks died with it, whatever they and other nodes report."""
    for program, code, ranks in (
        ("hydra_pmi_proxy", evidence.proxy_code, evidence.board.ranks),
        ("mpiexec", evidence.exit_code, range(sum(member.slots for member in evidence.gang))),
    ):
        if code is not None and code < 0:
            how, victims = _signal_name(code), rank_words(ranks.start, len(ranks))
            sentence = f"The launcher {program} on node {evidence.node} was killed by {how}, and {victims} with it."
            is_oom = -code == signal.SIGKILL and evidence.killed_for_memory
            return Outcome("oom" if is_oom else "launcher_lost", sentence, None, code)
    return None


def _signal_name(code: int) -> str:
    name = signal.Signals(-code).name if -code in set(signal.Signals) else "a signal"
    return f"{name} ({-code})"


def _bad_exit(evidence: Evidence, rank: int, code: int) -> Outcome:
    node = node_of_rank(evidence.gang, rank)
    where = f"Rank {rank} on node {node}"
    if len(alike := _alike(evidence, node, code)) > 1:
        ranks = f"{', '.join(map(str, alike[:-1]))} and {alike[-1]}"
        return Outcome("rank_signal", f"Ranks {ranks} on node {node} were killed by {_signal_name(code)}.", None, code)
    if code < 0:
        if -code == signal.SIGKILL and evidence.killed_for_memory:
            return Outcome("oom", f"{where} was killed because the machine ran out of memory.", rank, code)
        step = f" in step {evidence.steps[rank]}{evidence.call}" if rank in evidence.steps else ""
        return Outcome("rank_signal", f"{where} was killed by {_signal_name(code)}{step}.", rank, code)
    reason = "verification_failed" if code == EXIT_VERIFICATION_FAILED else "rank_exit"
    return Outcome(reason, _with_last_words(f"{where} ended with exit code {code}", evidence, rank), rank, code)


def _alike(evidence: Evidence, node: str, code: int) -> list[int]:
    """Return the ranks of another node that ended alike: the culprit and those that Hydra killed for it; only that node
    knows which is which.
    """
    if node == evidence.node or code not in _ENDED_BY_OTHERS:
        return []
    ends = (end.rank for end in evidence.exits.ends if end.exit_code == code)
    return [rank for rank in ends if node_of_rank(evidence.gang, rank) == node]


def _lost(evidence: Evidence, told: Failure, lost_rank: int) -> Outcome:
    """Return how the rank that another one misses ended, and in which step."""
    code = next((end.exit_code for end in evidence.exits.ends if end.rank == lost_rank), None)
    if lost_rank in evidence.board.done:  # its program was over; what its process died of came after that
        return Outcome("rank_exit", told.message, lost_rank)
    if code is None:
        return Outcome("rank_exit", told.message, lost_rank, is_hearsay=True)
    how = _bad_exit(evidence, lost_rank, code)
    return replace(how, message=f"{how.message} {told.message}")


def _cut_off(evidence: Evidence, told: Failure) -> Outcome:
    """Return the outcome if a rank of this node lost a connection: which rank of another node a signal has killed, if
    Hydra reports one, and otherwise hearsay.
    """
    for end in evidence.exits.ends:
        if end.exit_code < 0 and node_of_rank(evidence.gang, end.rank) != evidence.node:
            how = _bad_exit(evidence, end.rank, end.exit_code)
            return replace(how, message=f"{how.message} {told.message}")
    return Outcome(told.reason, told.message, is_hearsay=True)


def _bad_end(evidence: Evidence) -> tuple[int | None, int | None]:
    """Return the rank that failed first and its exit code (or minus its signal); (None, None) if none failed."""
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
        if end.exit_code in _ENDED_BY_OTHERS and (first := board.first_lost(end.rank)) != end.rank:
            return first, None  # Hydra saw a rank that it had killed before the one it had killed it for
        return end.rank, end.exit_code
    if evidence.hydra_hung:
        return None, None
    code = -exits.signal if exits.signal is not None else evidence.exit_code
    if code in (0, None):
        return None, None
    if exits.failed_pid is None:
        return None, code  # the launcher's own
    by_pid = {pid: rank for rank, pid in board.pids.items()}
    return by_pid.get(exits.failed_pid, board.lost[0] if board.lost else None), code


def _wrong_result(node: str, check: Check) -> Outcome:
    place = "in place" if check.in_place else "out of place"
    return Outcome(
        "verification_failed",
        f"Rank {check.rank} on node {node} found {plural(check.wrong, 'wrong element')} after {check.op} "
        f"({check.algorithm}, {place}) of {check.size_bytes} bytes: element {check.first_index} "
        f"is {check.got} and should be {check.want}.",
        check.rank,
    )


def _unfinished(evidence: Evidence) -> Outcome:
    board = evidence.board
    missing = [*board.lost, *(rank for rank in board.ranks if rank not in board.done)]
    if not board.pids:
        return _launcher_failed(evidence, evidence.exit_code or evidence.proxy_code)
    where = f"Rank {missing[0]} on node {evidence.node}"
    code = " with exit code 0" if evidence.exit_code == 0 else ""  # mpiexec ends so where all ranks did
    return Outcome(
        "rank_exit",
        _with_last_words(f"{where} ended{code} before it had finished its program", evidence, missing[0]),
        missing[0],
        is_hearsay=True,
    )


def _launcher_failed(evidence: Evidence, code: int | None) -> Outcome:
    ready = evidence.board.all_started
    what = "The MPI launcher" if ready else "The launch of the ranks"
    ending = "failed" if code is None else f"ended with exit code {code}"
    sentence = _with_last_words(f"{what} on node {evidence.node} {ending}", evidence)
    return Outcome("rank_exit" if ready else "launch_failed", sentence, None, code, is_hearsay=True)


def _with_last_words(sentence: str, evidence: Evidence, rank: int | None = None) -> str:
    words = evidence.last_words.get(rank)
    if words is None and rank is None:
        words = next(iter(evidence.last_words.values()), None)
    return f"{sentence}: {words}" if words else f"{sentence}."
