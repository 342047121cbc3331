"""The state that all attempts of one agent share."""

from dataclasses import dataclass

from ringscope.contracts.words.machine import Machine
from ringscope_agent.checkpoints import Checkpoints
from ringscope_agent.client import ServerClient
from ringscope_agent.launch.keepers import Keepers
from ringscope_agent.launch.programs import MpiPrograms
from ringscope_agent.metrics.exporter import Exporter
from ringscope_agent.settings import AgentSettings


@dataclass(frozen=True)
class NodeContext:
    """The node, and the agent's ways to the server, to Prometheus and to its keepers."""

    settings: AgentSettings
    client: ServerClient
    exporter: Exporter
    keepers: Keepers
    checkpoints: Checkpoints
    programs: MpiPrograms | str
    machine: Machine | None = None  # None if it was not measured
