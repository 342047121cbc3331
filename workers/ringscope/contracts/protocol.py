"""Messages between an agent and the server. The agent always calls; the server never opens a connection.

The server's answers say what *should* be (assignments); the agent makes it so and reports what *is*. Both sides can
be killed and started again at any moment: the next poll brings them back together.

    POST /api/v1/agents/join               Join          -> Joined       (once, with a join token)
    POST /api/v1/agents/register           Registration  -> Registered
    POST /api/v1/agents/{node}/poll        Poll          -> Directives   (long poll, also the heartbeat)
    POST /api/v1/agents/{node}/reports     Report        -> 204
    POST /api/v1/agents/{node}/records     RecordBatch   -> RecordsAccepted
    POST /api/v1/agents/{node}/pulses      Pulse         -> 204          (may be lost: the next one says more)
    POST /api/v1/agents/{node}/rotate                    -> Joined       (when a poll was answered so)
    POST /api/v1/agents/{node}/leave       Leave         -> 204          (for good, once nothing is left)

Every request carries the agent's bearer token, which speaks for its node alone. 401: wrong token, the agent joins again
if it has a join token, else it stops and says so. 409: the epoch is old (another agent took this node's name, or the
server forgot it), the agent registers again. Errors are problem documents (RFC 9457); whatever else a registered agent
hears comes from something in between, such as a proxy, and is no reason to give up.

A token that was rotated and the one before it are both good until the new one is used for the first time, which the
agent does once it has it on disk.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, Field

from ringscope.contracts.columns import Count, Int32, is_null
from ringscope.contracts.diagnosis.earlier import Earlier
from ringscope.contracts.inventory import Inventory, Sentence, Word
from ringscope.contracts.job import JobSpec
from ringscope.contracts.reading import MOST_GPUS, GpuState, GpuTrouble, NodeRasState, Reading
from ringscope.contracts.tuning import Table

HEARTBEAT_SECONDS = 5.0
MISSED_HEARTBEATS_UNTIL_LOST = 3
# After this time an agent abandons a request. It is longer than a server holds a poll (at most a heartbeat's time), but
# short enough that a stalled server does not keep the node silent until the other servers consider it lost.
REQUEST_SECONDS = HEARTBEAT_SECONDS + 2.0
STOP_GRACE_SECONDS = 5.0
# Largest drift between two clocks, in seconds per second: RFC 5905's tolerance for clocks that NTP disciplines.
CLOCK_DRIFT = 15e-6
MAX_STACK_CHARACTERS = 4_000  # limit for one rank: about forty frames
MAX_DUMP_CHARACTERS = 65_536  # limit for one rank: about a hundred operations
PULSE_SECONDS = 0.5
PROBLEM_MEDIA_TYPE = "application/problem+json"


def _checked_name(name: str) -> str:
    if not name.isprintable() or "/" in name or name != name.strip() or name in (".", ".."):
        raise ValueError(f"{name!r} does not fit into a URL; use letters, digits, dots and hyphens.")
    return name


def checked_year(time: datetime) -> datetime:
    """Return the time; ValueError outside the years 2000 to 2199, at whose ends arithmetic on times would overflow."""
    if not 2000 <= time.year < 2200:
        raise ValueError(f"{time.isoformat()} is not a plausible clock time; give one from 2000 to 2199, or none.")
    return time


ClockSeconds = Annotated[float, Field(ge=-1e10, le=1e10)]  # three centuries; excludes infinity and NaN
NodeName = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_checked_name)]


_MOST_WORDS = 100
MOST_RECORDS = 5_000  # in one batch


def _few(told: Any) -> Any:
    """Limit the number of words before each of them is validated."""
    if isinstance(told, dict) and len(told) > _MOST_WORDS:
        raise ValueError(f"there are too many entries; give {_MOST_WORDS} or fewer.")
    return told


def _checked_address(address: str) -> str:
    if not address or address.startswith("-") or any(sign in address for sign in ",: "):
        raise ValueError("this is not a host name or IPv4 address, and Hydra accepts nothing else; give one.")
    return address


_Words = Annotated[dict[Word, Word], Field(max_length=_MOST_WORDS), BeforeValidator(_few)]
_Address = Annotated[Word, AfterValidator(_checked_address)]


def rank_words(first_rank: int, count: int) -> str:
    """Name a node's ranks in a sentence: rank 3, ranks 4 to 7."""
    return f"rank {first_rank}" if count == 1 else f"ranks {first_rank} to {first_rank + count - 1}"


class Join(BaseModel):
    """A node's request for a token of its own; the request's bearer token is a join token."""

    name: NodeName


class Joined(BaseModel):
    """The node's own token, which is valid for no other node; only this answer contains it."""

    token: str


class Registration(BaseModel):
    """An agent's introduction."""

    name: NodeName
    address: _Address = Field(description="Host name or address under which the other nodes reach this one.")
    slots: int = Field(ge=1, le=4096)
    metrics_address: Word = Field(description="host:port of the agent's /metrics, for Prometheus.")
    inventory: Inventory
    versions: _Words = Field(
        description="Versions of ringscope, python, mpi4py, mpi, numpy, cupy, nccl, cuda and driver on the node.",
    )
    labels: _Words = Field({})
    leaves_at: Annotated[AwareDatetime, AfterValidator(checked_year)] | None = Field(
        None, description="When its batch system takes the node back; null: the node stays."
    )


class Stamped(BaseModel):
    """Arrival and departure times by the server's clock, from which agents estimate their clock offset."""

    received_ns: int = Field(description="Nanoseconds since 1970.")
    sent_ns: int


class Registered(Stamped):
    """The server's welcome. A higher epoch fences everything that older agents of this node still send."""

    node_id: int
    epoch: int
    heartbeat_seconds: float = HEARTBEAT_SECONDS


class GangMember(BaseModel):
    """One node's share of a gang, in rank order: the first member runs mpiexec."""

    node: str
    address: str
    slots: int = Field(description="Ranks on this node.")
    rack: str | None = Field(None, exclude_if=is_null, description="The node's label rack.")


class Proxy(BaseModel):
    """The numbers of one HYDRA_LAUNCH line; the agent builds the command from them and never runs a command from
    outside.
    """

    control_host: Word
    control_port: int = Field(ge=0, lt=2**16)
    proxy_id: Int32


class Assignment(BaseModel):
    """The work of one agent for one attempt.

    prepare  check the node and report ``ready`` or ``refused``
    launch   the first member starts mpiexec and reports ``proxies``; each member starts its proxy once it is known
    stop     end every process of the attempt, prove it, send what is spooled, report ``clean``
    """

    attempt_id: int
    job_id: int
    token: str = Field(description="A mark in the environment of every rank, by which its processes are found.")
    desired: Literal["prepare", "launch", "stop"]
    member: int = Field(description="This node's index in the gang.")
    gang: list[GangMember]
    ranks: int
    first_rank: int = Field(description="This node runs ranks first_rank … first_rank + slots - 1.")
    spec: JobSpec
    proxy: Proxy | None = None
    tuning: Table | None = Field(
        None,
        description="The measurements that auto uses to choose; only the first member gets them, until it launches.",
    )
    earlier: Earlier | None = Field(
        None, description="What a diagnosis knows already; only the first member gets it, until it launches."
    )
    slots: list[int] = Field(
        [],
        description="The numbers of its slots on this node in rank order, until it launches; only for a script, and "
        "for others on a node with GPUs.",
    )
    grace_seconds: float = STOP_GRACE_SECONDS
    take_evidence: bool = Field(
        False,
        description="The ranks hang: report ``evidence`` of what each of them does, then end them; only with stop.",
    )


class Poll(BaseModel):
    """A heartbeat. The server answers at once when its revision differs from ``seen``, else after a while."""

    epoch: int
    seen: int = Field(-1, description="Revision of the last directives that the agent has applied.")
    clock_offset_seconds: ClockSeconds | None = Field(
        None, description="The agent's clock minus this server's; null: unknown."
    )
    clock_error_seconds: ClockSeconds | None = Field(None, ge=0, description="Largest error of the offset.")
    reading: Reading | None = Field(None, description="Load of the node; null: its agent does not measure it.")
    nccl_ras: NodeRasState | None = Field(
        None,
        exclude_if=is_null,
        description="What NCCL's RAS said last; null: the agent does not ask it (--nccl-ras), or has no answer yet.",
    )
    gpus: list[GpuState] | None = Field(
        None,
        max_length=MOST_GPUS,
        fail_fast=True,
        exclude_if=is_null,
        description="The newest states of its GPUs; null: it has none, or they were not read yet.",
    )


class Directives(Stamped):
    """All assignments of this node; an assignment that is missing here has ended and is forgotten."""

    revision: int
    assignments: list[Assignment] | None = Field(description="null: unchanged since the revision that was seen.")
    rotate_token: bool = Field(False, description="The agent should fetch and use another token.")


class RankPulse(BaseModel):
    """Progress of a rank and how it spent its time; all counts are since the rank's start.

    ``running_us``, ``queued_us``: kernel times of its main thread, on a core and runnable without one. ``waited_us``:
    time waiting for other ranks in our own schedules; waits inside a library are not visible. ``input_us``: time
    waiting for the samples of training steps.
    """

    rank: int = Field(ge=0, lt=2**31)
    state: str = Field(max_length=1, description="State of the process, as /proc/PID/stat has it: R, S, D, T …")
    step: int | None = Field(
        None, ge=0, lt=2**31, description="Step of the schedule in the running call; null: no call is running."
    )
    iterations: int = Field(ge=0, lt=2**63)
    untimed: int = Field(ge=0, lt=2**63, description="Other finished work: warm-up operations, checks.")
    size_bytes: int = Field(ge=0, lt=2**63, description="Size of the message that the call moves.")
    waited_us: int = Field(ge=0, lt=2**63)
    awaits: int | None = Field(None, ge=0, lt=2**31, description="The rank for which it waits in a call; null: none.")
    is_inside: bool = Field(False, description="The rank was inside a library call when it was observed.")
    calls: int = Field(0, ge=0, lt=2**63, description="Number of calls that the rank had begun by then.")
    has_finished: bool = Field(
        False, description="Its program has ended; its process waits for the other ranks to end."
    )
    stage: str = Field(
        "", max_length=200, description="What it does before or between its steps; empty: it is in a step."
    )
    stage_since_ns: int = Field(0, ge=0, lt=2**63, description="Nanoseconds since 1970, by the node's clock.")
    collective: str = Field(
        "",
        max_length=40,
        description="Collective over all ranks in which the script was observed: of mpi4py, or of torch.distributed as "
        "dist.NAME; empty: none.",
    )
    running_us: int | None = Field(None, ge=0, lt=2**63, description="null: this kernel does not report it.")
    queued_us: int | None = Field(None, ge=0, lt=2**63)
    input_us: int | None = Field(None, ge=0, lt=2**63, exclude_if=is_null, description="null: it is not measured.")
    anonymous_bytes: int | None = Field(
        None,
        ge=0,
        lt=2**63,
        exclude_if=is_null,
        description="Memory of its process, without that of files and shared memory; null: it is not reported.",
    )


class Pulse(BaseModel):
    """Progress of an attempt's ranks on one node. Only the newest one counts; a lost one is not sent again."""

    epoch: int
    attempt_id: Count
    time_us: int = Field(ge=0, lt=2**63, description="When it was taken, by a monotonic clock of the node.")
    ranks: list[RankPulse] = Field(max_length=4096, fail_fast=True)


class RankEvidence(BaseModel):
    """Stack of a rank in a hung gang, taken before the rank was ended."""

    rank: int = Field(ge=0, lt=2**31)
    state: str = Field(max_length=1)
    source: str = Field(max_length=40, description="py-spy, faulthandler, or empty if neither answered.")
    stack: str = Field(
        max_length=MAX_STACK_CHARACTERS,
        description="Stacks of the rank's threads, or a sentence that says why there are none.",
    )
    dump: str | None = Field(
        None,
        max_length=MAX_DUMP_CHARACTERS,
        exclude_if=is_null,
        description="The newest operations in a script's Flight Recorder, as JSON that `ringscope hang` reads.",
    )


class Load(BaseModel):
    """Load of a node during its share of an attempt, in seconds of one processor."""

    machine: str = Field(
        max_length=100, description="Equal for nodes that run in the same operating system; empty: unknown."
    )
    processors: int = Field(ge=1, lt=2**31)
    seconds: float = Field(ge=0, lt=2**31, description="How long it ran.")
    busy_seconds: float = Field(
        ge=0,
        lt=2**63,
        description="Busy time of all processors, including time that a hypervisor gave to other guests.",
    )
    own_seconds: float = Field(
        ge=0, lt=2**63, description="The part of the busy time that the attempt's processes used."
    )
    gpus: list[GpuTrouble] = Field(
        [],
        max_length=MOST_GPUS,
        fail_fast=True,
        description="Its GPUs that heat, a power brake or an error disturbed while it ran.",
    )


class Report(BaseModel):
    """An event of an attempt on this node. Repeating a report changes nothing.

    ready the node can run its share refused the node cannot run it: ``message`` says why; the gang is not started
    proxies the first member's mpiexec listens: one Proxy per member, in member order running every rank of this node
    said hello stalled a rank lives and stands still (``rank``, and ``message`` says how), so the gang would wait for
    ever evidence what each rank of this node was doing (``evidence``), before any of them was ended ended the node's
    processes ended, for ``reason``: completed, rank_exit, rank_signal, launch_failed, verification_failed, oom,
    agent_restarted …; ``is_hearsay`` when another node may know better unclean processes of the attempt cannot be ended
    (``message`` names them): its slots must not be used. The agent goes on trying, and ``clean`` may still follow clean
    no process of the attempt is left and every record up to ``last_sequence`` was accepted
    """

    epoch: int
    attempt_id: Count
    event: Literal["ready", "refused", "proxies", "running", "stalled", "evidence", "ended", "unclean", "clean"]
    reason: Word | None = None
    message: Sentence = ""
    rank: Int32 | None = None
    exit_code: Int32 | None = None
    is_hearsay: bool = False
    proxies: list[Proxy] = Field([], max_length=4096, fail_fast=True)
    load: Load | None = Field(None, description="Load while the ranks ran; only with ended, if the system reports it.")
    evidence: list[RankEvidence] = Field([], max_length=4096, fail_fast=True)
    unreachable: list[NodeName] = Field(
        [],
        max_length=4096,
        fail_fast=True,
        description="Other nodes of the gang that give this one no answer; only with ready, if the job measures pairs.",
    )
    last_sequence: int = 0


class Leave(BaseModel):
    """The agent ends for good: its node leaves the lists and its own token is revoked. 412: not yet clean."""

    epoch: int


class RecordBatch(BaseModel):
    """Consecutive records of one attempt from one node; the first has number ``first_sequence`` (from 1 on)."""

    epoch: int
    attempt_id: Count
    first_sequence: int = Field(ge=1)
    records: list[dict[str, Any]] = Field(
        max_length=MOST_RECORDS, fail_fast=True, description="See ringscope.contracts.record."
    )


class RecordsAccepted(BaseModel):
    """Everything up to ``last_sequence`` is committed. After a gap the agent continues from there."""

    last_sequence: int
