"""A lab: hosts with shaped links and an agent on each, all nodes of a running server.

There is one lab per data directory. Its file describes it, but ``down`` needs only the names of its namespaces, which
are derived from the directory: after a crash at any moment ``down`` still finds everything.
"""

import hashlib
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
from pydantic import BaseModel, ValidationError

from ringscope.contracts.address import parse_address
from ringscope.contracts.errors import UserError
from ringscope.lab import background, network
from ringscope.lab.host import Host, start_agent
from ringscope.lab.network import Layout, Link

MACHINE = os.uname().nodename  # the label "lab" of all hosts
STOP_SECONDS = 15.0
_LOOK_SECONDS = 0.05


class HostTrouble(BaseModel):
    """Changes that were made to a host's link."""

    rate_bit_per_s: int | None = None
    delay_us: float | None = None
    loss: float | None = None
    is_cut: bool = False


class WantedLab(BaseModel):
    """Description of a lab to create: hosts h1 … hN, their links, their racks, and the server of their agents."""

    hosts: int
    rate_bit_per_s: int
    delay_us: float = 0.0
    racks: int = 1
    oversubscription: float = 1.0
    slots: int = 2
    server: str
    prefix: str = "h"
    allow_env: list[str] = []
    scripts: Path | None = None


class LabState(BaseModel):
    """The lab as described in its file."""

    wanted: WantedLab
    subnet: str
    relay_port: int = 0
    relay_pid: int = 0
    agents: dict[str, int] = {}  # process ids by host
    trouble: dict[str, HostTrouble] = {}


class Lab:
    """The lab of a data directory, whether it is up or not."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir.expanduser().resolve()
        self._folder = self._data_dir / "lab"
        # Short, because device names are limited to 15 bytes.
        self._mark = hashlib.sha256(str(self._data_dir).encode()).hexdigest()[:6]

    @property
    def prefix(self) -> str:
        """Prefix of the names of all its namespaces."""
        return f"rslab-{self._mark}-"

    @property
    def state(self) -> LabState | None:
        """Return the state in the lab's file; None if there is no lab, or its file is unreadable."""
        try:
            return LabState.model_validate_json(self._file.read_bytes())
        except (OSError, ValidationError):
            return None

    @property
    def hosts(self) -> list[Host]:
        """Return the lab's hosts, in order."""
        state = self._known()
        return [self._host(state.wanted, number) for number in range(state.wanted.hosts)]

    def up(self, wanted: WantedLab, variables: dict[str, str] | None = None) -> None:
        """Build the network and start relay and agents, without waiting until they are ready.

        ``variables`` are for the agents: a join token. After a UserError nothing is left.
        """
        self.require_none()
        if not wanted.server.startswith("http://"):
            raise UserError(f"--url: a lab's agents can only connect to an http server, not to {wanted.server}.")
        target = parse_address(wanted.server)
        if wanted.delay_us:
            network.require_delays()
        state = LabState(wanted=wanted, subnet=network.free_subnet(self.prefix))
        self._folder.mkdir(parents=True, exist_ok=True)
        self._save(state)
        try:
            network.build(self._layout(state))
            self._start_relay(state, target.host, target.port or 80)
            self._write_hosts_file(state)
            for host in self.hosts:
                self.start_agent(host.name, variables)
        except BaseException:
            self.down()
            raise

    def require_none(self) -> None:
        """Raise UserError if a lab cannot be started, or is already up."""
        network.require_network()
        if self.state is not None or network.namespaces(self.prefix):
            raise UserError("There is a lab on this data directory already; take it down with `ringscope lab down`.")

    def start_agent(self, name: str, variables: dict[str, str] | None = None) -> None:
        """Start a host's agent, for the first time or again."""
        state = self._known()
        number = self._number(state, name)
        layout, host = self._layout(state), self._host(state.wanted, number)
        address = layout.addresses[number]
        flags: dict[str, object] = {
            "--server": f"http://{layout.gateway_address}:{state.relay_port}",
            "--name": host.name,
            "--slots": state.wanted.slots,
            "--address": address,
            "--link-speed": f"{state.wanted.rate_bit_per_s}bit/s",  # unknown to the host's driver
            "--metrics-port": 9465,
            "--data-dir": host.folder,
        }
        if not variables:
            flags["--join-token-file"] = self._data_dir / "join-token"
        words = [str(word) for flag in flags.items() for word in flag]
        words += [word for pattern in state.wanted.allow_env for word in ("--allow-env", pattern)]
        if state.wanted.scripts is not None:
            words += ["--scripts", str(state.wanted.scripts)]
        words += ["--label", f"rack={layout.rack_name(number)}", "--label", f"lab={MACHINE}", "--leaves"]
        if name in state.agents:
            background.forget(state.agents[name])
        enter = layout.inside(number, [])
        # An agent alone would give its ranks all cores, and threads that wait for each other would share them.
        threads = max(1, len(os.sched_getaffinity(0)) // (state.wanted.hosts * state.wanted.slots))
        state.agents[name] = start_agent(host, enter, self._hosts_file, words, variables or {}, threads)
        self._save(state)

    def is_alive(self, name: str) -> bool:
        """Return whether a host's agent is running."""
        state = self._known()
        pid = state.agents.get(name)
        if pid is None:
            return False
        # In this order: what is no longer on its way into the namespace is inside, or has ended.
        entering = self._layout(state).inside(self._number(state, name), [])
        return background.is_running(pid, entering) or pid in self.processes(name)

    def processes(self, name: str) -> list[int]:
        """Return the processes on a host."""
        state = self._known()
        return network.processes(self._layout(state).host(self._number(state, name)))

    def degrade(self, name: str, rate_bit_per_s: int | None, delay_us: float | None, loss: float | None) -> None:
        """Change a host's rate, delay or loss; None leaves a value unchanged.

        Raises UserError if there is no such lab or host, or if this kernel does not support it; then nothing has
        changed.
        """
        self._number(self._known(), name)
        if delay_us:
            network.require_delays()
        changes = {"rate_bit_per_s": rate_bit_per_s, "delay_us": delay_us, "loss": loss}

        def change(trouble: HostTrouble) -> HostTrouble:
            return trouble.model_copy(update={field: value for field, value in changes.items() if value is not None})

        self._trouble(name, change)

    def cut(self, name: str) -> None:
        """Disconnect a host."""
        self._trouble(name, lambda trouble: trouble.model_copy(update={"is_cut": True}))

    def heal(self, name: str) -> None:
        """Restore a host's link, and start its agent if it is not running."""
        self._trouble(name, lambda _: HostTrouble())
        if not self.is_alive(name):
            self.start_agent(name)

    def link(self, name: str) -> Link:
        """A host's link as it is shaped now."""
        state = self._known()
        return _link(state.wanted, state.trouble.get(name, HostTrouble()))

    def layout(self) -> Layout:
        """The network as it was built."""
        return self._layout(self._known())

    def down(self) -> int:
        """Stop the agents in order, then remove everything; return the number of namespaces."""
        network.require_network()
        state = self.state
        if state is not None:
            self._stop_agents(state)
            with suppress(psutil.Error):
                relay = psutil.Process(state.relay_pid)
                if "ringscope.lab.relay" in relay.cmdline() and self._gateway in relay.cmdline():
                    relay.terminate()
                    relay.wait(STOP_SECONDS)
        found = network.remove(self.prefix)
        for pid in state.agents.values() if state is not None else ():
            background.forget(pid)
        shutil.rmtree(self._folder, ignore_errors=True)
        return found

    def _trouble(self, name: str, change: Callable[[HostTrouble], HostTrouble]) -> None:
        state = self._known()
        number = self._number(state, name)
        before = state.trouble.get(name, HostTrouble())
        after = state.trouble[name] = change(before)
        network.shape(self._layout(state), number, _link(state.wanted, after))
        if after.is_cut != before.is_cut:
            network.cut(self._layout(state), number, is_cut=after.is_cut)
        self._save(state)

    def _stop_agents(self, state: LabState) -> None:
        running = {pid for name in state.agents for pid in self.processes(name)}
        waiting = [psutil.Process(pid) for pid in running & set(state.agents.values())]
        for agent in waiting:
            with suppress(psutil.Error):
                agent.send_signal(signal.SIGCONT)  # a paused agent could not end
                agent.terminate()
        psutil.wait_procs(waiting, STOP_SECONDS)

    def _start_relay(self, state: LabState, host: str, port: int) -> None:
        address = self._layout(state).gateway_address
        command = [sys.executable, "-m", "ringscope.lab.relay", address, host, str(port), self._gateway]
        log = self._folder / "relay.log"
        reader, writer = os.pipe()
        with os.fdopen(reader) as output:
            try:
                pid = background.start(command, log, os.environ, writer)
            finally:
                os.close(writer)
            said = output.readline().strip()
        if not said:
            raise UserError(f"The lab's relay to the server did not start; see {log}.")
        state.relay_pid, state.relay_port = pid, int(said)
        self._save(state)

    def _write_hosts_file(self, state: LabState) -> None:
        names = [self._host(state.wanted, number).name for number in range(state.wanted.hosts)]
        lines = [f"{address} {name}" for address, name in zip(self._layout(state).addresses, names, strict=True)]
        self._hosts_file.write_text("\n".join(["127.0.0.1 localhost", *lines]) + "\n")

    def _known(self) -> LabState:
        state = self.state
        if state is None:
            raise UserError("There is no lab on this data directory; start one with `ringscope lab up`.")
        return state

    def _number(self, state: LabState, name: str) -> int:
        names = [self._host(state.wanted, number).name for number in range(state.wanted.hosts)]
        if name not in names:
            raise UserError(f"There is no host {name} in this lab; there are {names[0]} to {names[-1]}.")
        return names.index(name)

    def _host(self, wanted: WantedLab, number: int) -> Host:
        name = f"{wanted.prefix}{number + 1}"
        return Host(name, self._folder / name)

    def _layout(self, state: LabState) -> Layout:
        wanted = state.wanted
        return Layout(
            prefix=self.prefix,
            subnet=state.subnet,
            hosts=wanted.hosts,
            link=Link(wanted.rate_bit_per_s, wanted.delay_us),
            racks=wanted.racks,
            oversubscription=wanted.oversubscription,
            gateway=self._gateway,
        )

    @property
    def _gateway(self) -> str:
        return f"rslab-{self._mark}"

    @property
    def _file(self) -> Path:
        return self._folder / "lab.json"

    @property
    def _hosts_file(self) -> Path:
        return self._folder / "hosts"

    def _save(self, state: LabState) -> None:
        scratch = self._file.with_suffix(".new")
        scratch.write_text(state.model_dump_json(indent=2) + "\n")
        scratch.replace(self._file)


def _link(wanted: WantedLab, trouble: HostTrouble) -> Link:
    return Link(
        wanted.rate_bit_per_s if trouble.rate_bit_per_s is None else trouble.rate_bit_per_s,
        wanted.delay_us if trouble.delay_us is None else trouble.delay_us,
        trouble.loss or 0.0,
    )


def wait_until(look: Callable[[], bool], seconds: float) -> bool:
    """Wait until ``look`` returns true; return whether it did within ``seconds``."""
    deadline = time.monotonic() + seconds
    while not look():
        if time.monotonic() >= deadline:
            return False
        time.sleep(_LOOK_SECONDS)
    return True
