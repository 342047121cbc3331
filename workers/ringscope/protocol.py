"""Messages between an agent and the server. The agent always calls; the server never opens a connection.

The server's answers say what *should* be (assignments); the agent makes it so and reports what *is*. Both sides can
be killed and started again at any moment: the next poll brings them back together.

    POST /api/v1/agents/register           Registration  -> Registered
    POST /api/v1/agents/{node}/poll        Poll          -> Directives   (long poll, also the heartbeat)
    POST /api/v1/agents/{node}/reports     Report        -> 204
    POST /api/v1/agents/{node}/records     RecordBatch   -> RecordsAccepted

Every request carries the agent's bearer token. 401: wrong token, the agent stops and says so. 409: the epoch is
old (another agent took this node's name, or the server forgot it), the agent registers again.
"""

from typing import Any, Literal

from pydantic import BaseModel, Field

from ringscope.spec import JobSpec
from ringscope.tuning import Table

HEARTBEAT_SECONDS = 5.0
MISSED_HEARTBEATS_UNTIL_LOST = 3
STOP_GRACE_SECONDS = 5.0


class Gpu(BaseModel):
    """One GPU as NVML describes it."""

    index: int
    uuid: str
    model: str
    memory_bytes: int


class Inventory(BaseModel):
    """What a node is made of."""

    hostname: str
    os: str
    cpu_model: str
    cores: int
    memory_bytes: int
    gpus: list[Gpu] = []


class Registration(BaseModel):
    """An agent's introduction."""

    name: str = Field(min_length=1, max_length=200)
    address: str = Field(description="Host name or address under which the other nodes reach this one.")
    slots: int = Field(ge=1, le=4096)
    metrics_address: str = Field(description="host:port of the agent's /metrics, for Prometheus.")
    inventory: Inventory
    versions: dict[str, str] = Field(description="ringscope, python, mpi4py, mpi, numpy … as found on the node.")
    labels: dict[str, str] = {}


class Registered(BaseModel):
    """The server's welcome. A higher epoch fences everything that older agents of this node still send."""

    node_id: int
    epoch: int
    heartbeat_seconds: float = HEARTBEAT_SECONDS


class GangMember(BaseModel):
    """One node's share of a gang, in rank order: the first member runs mpiexec."""

    node: str
    address: str
    slots: int = Field(description="Ranks on this node.")


class Proxy(BaseModel):
    """The numbers of one HYDRA_LAUNCH line; the agent builds the command from them and never runs a foreign one."""

    control_host: str
    control_port: int
    proxy_id: int


class Assignment(BaseModel):
    """What one agent should do for one attempt.

    prepare  check the node and report ``ready`` or ``refused``
    launch   the first member starts mpiexec and reports ``proxies``; each member starts its proxy once it is known
    stop     end every process of the attempt, prove it, send what is spooled, report ``clean``
    """

    attempt_id: int
    job_id: int
    token: str = Field(description="In the environment of every rank, so that none can hide.")
    desired: Literal["prepare", "launch", "stop"]
    member: int = Field(description="This node's index in the gang.")
    gang: list[GangMember]
    ranks: int
    first_rank: int = Field(description="This node runs ranks first_rank … first_rank + slots - 1.")
    spec: JobSpec
    proxy: Proxy | None = None
    tuning: Table | None = Field(None, description="For the first member until it launches: what auto chooses by.")
    grace_seconds: float = STOP_GRACE_SECONDS


class Poll(BaseModel):
    """A heartbeat. The server answers at once when its revision differs from ``seen``, else after a while."""

    epoch: int
    seen: int = Field(-1, description="Revision of the last directives that the agent has acted on.")


class Directives(BaseModel):
    """All assignments of this node: one that is missing here is over and forgotten."""

    revision: int
    assignments: list[Assignment]


class Report(BaseModel):
    """What happened to an attempt on this node. Repeating a report changes nothing.

    ready     the node can run its share
    refused   it cannot: ``message`` says why; the gang is not started
    proxies   the first member's mpiexec listens: one Proxy per member, in member order
    running   every rank of this node said hello
    ended     the node's processes ended, for ``reason``: completed, rank_exit, rank_signal, launch_failed,
              verification_failed, oom, agent_restarted …
    clean     no process of the attempt is left and every record up to ``last_sequence`` was accepted
    """

    epoch: int
    attempt_id: int
    event: Literal["ready", "refused", "proxies", "running", "ended", "clean"]
    reason: str | None = None
    message: str = ""
    rank: int | None = None
    exit_code: int | None = None
    proxies: list[Proxy] = []
    last_sequence: int = 0


class RecordBatch(BaseModel):
    """Consecutive records of one attempt from one node; the first has number ``first_sequence`` (from 1 on)."""

    epoch: int
    attempt_id: int
    first_sequence: int = Field(ge=1)
    records: list[dict[str, Any]] = Field(description="See ringscope.record.")


class RecordsAccepted(BaseModel):
    """Everything up to ``last_sequence`` is committed. After a gap the agent goes on from there."""

    last_sequence: int
