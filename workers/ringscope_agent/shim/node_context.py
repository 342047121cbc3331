"""The state that all attempts of one agent share."""

from dataclasses import dataclass, field

from ringscope.contracts.words.machine import Machine
from ringscope_agent.checkpoints import Checkpoints
from ringscope_agent.client import ServerClient
from ringscope_agent.gpu_health.watch import GpuWatch
from ringscope_agent.launch.programs import MpiPrograms
from ringscope_agent.metrics.exporter import Exporter
from ringscope_agent.settings import AgentSettings
from ringscope_agent.shim.pool import ShimPool


@dataclass(frozen=True)
class NodeContext:
    """The node, and the agent's ways to the server, to Prometheus and to its shims."""

    settings: AgentSettings
    client: ServerClient
    exporter: Exporter
    shims: ShimPool
    checkpoints: Checkpoints
    programs: MpiPrograms | str
    machine: Machine | None = None  # None if it was not measured
    gpus: GpuWatch = field(default_factory=GpuWatch)
