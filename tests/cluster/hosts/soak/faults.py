"""The faults of a soak: each is injected at random and describes how it is undone."""

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random

import psutil
from tests.cluster.agent.test_full_disk import fill
from tests.cluster.hosts.soak.site import HOSTS, SMALL_DISK_HOST, Site
from tests.cluster.lab import program_name

from ringscope.client import is_ready

MAX_TROUBLED_HOSTS = 2


@dataclass
class Fault:
    """A fault that was injected.

    Args:
        what: in words, for the log.
        undo: takes it back after so many seconds; None: nothing can be taken back.
        costs_records: whether records are lost while it stands.
    """

    what: str
    undo_after_seconds: float = 0.0
    undo: Callable[[], None] | None = None
    host: str | None = None
    costs_records: bool = False


Kind = Callable[["Faults"], Fault | None]


@dataclass
class Faults:
    """Strikes, and knows what is still to be undone.

    Args:
        say: takes a line for the log.
        struck: how many there were.
        lossy: attempts of which records were lost.
    """

    site: Site
    random: Random
    say: Callable[[str], None]
    standing: list[tuple[float, Fault]] = field(default_factory=list)
    struck: int = 0
    lossy: set[int] = field(default_factory=set)

    def strike(self, now: float) -> None:
        """One fault of those that find a victim; ``now`` in seconds of any clock that ``undo_due`` also gets."""
        for kind in self._kinds():
            with suppress(psutil.Error):  # the victim ended meanwhile
                if (fault := kind(self)) is not None:
                    self.say(fault.what)
                    self.struck += 1
                    if fault.undo is not None:
                        self.standing.append((now + fault.undo_after_seconds, fault))
                    return

    def _kinds(self) -> Iterator[Kind]:
        """All kinds in a random order, in which the likely ones tend to come first."""
        yield from sorted(KINDS, key=lambda kind: self.random.random() ** (1 / KINDS[kind]), reverse=True)

    def undo_due(self, now: float) -> None:
        """Take back what has stood long enough."""
        if any(fault.costs_records for _, fault in self.standing):
            self.lossy |= self.site.attempts_on_small_disk()
        due = [fault for at, fault in self.standing if at <= now]
        self.standing = [(at, fault) for at, fault in self.standing if at > now]
        for fault in due:
            assert fault.undo is not None
            fault.undo()
            self.say(f"over: {fault.what}")

    def whole_host(self) -> str | None:
        """A host that nothing is wrong with; None when enough of them are in trouble."""
        whole = self._whole_hosts()
        return self.random.choice(whole) if whole else None

    def is_whole(self, host: str) -> bool:
        """Return whether the host has no fault, so that one may be injected."""
        return host in self._whole_hosts()

    def _whole_hosts(self) -> list[str]:
        troubled = {fault.host for _, fault in self.standing} - {None}
        return [] if len(troubled) >= MAX_TROUBLED_HOSTS else sorted({*HOSTS} - troubled)

    def program(self, is_it: Callable[[psutil.Process], bool]) -> tuple[str, psutil.Process] | None:
        """A random process of a kind, and its host."""
        hosts = [*HOSTS]
        self.random.shuffle(hosts)
        for host in hosts:
            if found := _those(self.site.processes(host), is_it):
                return host, self.random.choice(found)
        return None

    def pause(self, name: str, is_it: Callable[[psutil.Process], bool]) -> Fault | None:
        """Stop a random process of a kind with SIGSTOP, and resume it later if nothing has ended it."""
        if (found := self.program(is_it)) is None:
            return None
        host, process = found
        process.suspend()
        seconds = self.random.uniform(1, 14)
        return Fault(f"paused {name} {process.pid} on {host} for {seconds:.1f} s", seconds, lambda: _resume(process))

    def kill(self, name: str, is_it: Callable[[psutil.Process], bool]) -> Fault | None:
        """SIGKILL to a random process of a kind."""
        if (found := self.program(is_it)) is None:
            return None
        host, process = found
        process.kill()
        return Fault(f"killed {name} {process.pid} on {host}")


def kill_rank(faults: Faults) -> Fault | None:
    """kill -9 of a rank."""
    return faults.kill("rank", is_rank)


def kill_mpiexec(faults: Faults) -> Fault | None:
    """kill -9 of a first node's launcher."""
    return faults.kill("mpiexec", is_mpiexec)


def kill_proxy(faults: Faults) -> Fault | None:
    """kill -9 of a node's launcher proxy."""
    return faults.kill("proxy", is_proxy)


def kill_shim(faults: Faults) -> Fault | None:
    """kill -9 of a shim that has ranks."""
    return faults.kill("shim", is_busy_shim)


def pause_mpiexec(faults: Faults) -> Fault | None:
    """A first node's launcher stands still."""
    return faults.pause("mpiexec", is_mpiexec)


def pause_proxy(faults: Faults) -> Fault | None:
    """A node's launcher proxy stands still."""
    return faults.pause("proxy", is_proxy)


def pause_shim(faults: Faults) -> Fault | None:
    """A shim, with or without ranks, stands still."""
    return faults.pause("shim", is_shim)


def pause_rank(faults: Faults) -> Fault | None:
    """Stop a rank, and kill it later if nothing else has."""
    if (found := faults.program(is_rank)) is None:
        return None
    host, rank = found
    rank.suspend()
    return Fault(f"paused rank {rank.pid} on {host}", faults.random.uniform(4, 14), lambda: _kill(rank))


def pause_agent(faults: Faults) -> Fault | None:
    """An agent stands still: shortly, or until its node is lost."""
    if (host := faults.whole_host()) is None:
        return None
    agent, seconds = faults.site.agent(host), _short_or_long(faults.random)
    agent.suspend()
    return Fault(f"paused the agent of {host} for {seconds:.1f} s", seconds, lambda: _resume(agent), host)


def kill_agent(faults: Faults) -> Fault | None:
    """kill -9 of an agent, which is started again."""
    if (host := faults.whole_host()) is None:
        return None
    seconds = _short_or_long(faults.random)
    faults.site.agent(host).kill()
    return Fault(f"killed the agent of {host} for {seconds:.1f} s", seconds, lambda: faults.site.lab.heal(host), host)


def cut_link(faults: Faults) -> Fault | None:
    """No packet reaches or leaves a host."""
    if (host := faults.whole_host()) is None:
        return None
    seconds = _short_or_long(faults.random)
    faults.site.lab.cut(host)
    return Fault(f"cut the link of {host} for {seconds:.1f} s", seconds, lambda: faults.site.lab.heal(host), host)


def degrade_link(faults: Faults) -> Fault | None:
    """A host's link is slow and loses packets."""
    if (host := faults.whole_host()) is None:
        return None
    rate, loss = faults.random.choice((10, 100)) * 1_000_000, faults.random.choice((0.0, 0.01, 0.05))
    faults.site.lab.degrade(host, rate, None, loss)
    what = f"degraded the link of {host} to {rate // 1_000_000} Mbit/s with {loss:.0%} loss"
    return Fault(what, faults.random.uniform(3, 10), lambda: faults.site.lab.heal(host), host)


def fill_disk(faults: Faults) -> Fault | None:
    """No record finds room on a host's disk, and no attempt can begin there."""
    if not faults.is_whole(SMALL_DISK_HOST):
        return None
    faults.lossy |= faults.site.attempts_on_small_disk()  # one that ends while the disk fills is not seen afterwards
    ballast = fill(faults.site.small_disk)
    seconds = faults.random.uniform(3, 10)
    what = f"filled the disk of {SMALL_DISK_HOST} for {seconds:.1f} s"
    return Fault(what, seconds, ballast.unlink, SMALL_DISK_HOST, costs_records=True)


def kill_server(faults: Faults) -> Fault | None:
    """kill -9 of the server, which is started again."""
    if faults.site.server is None or not is_ready(faults.site.url):
        return None
    seconds = faults.random.choice((0.0, 2.0, 8.0))
    faults.site.kill_server()
    return Fault(f"killed the server for {seconds:.0f} s", seconds, faults.site.start_server)


KINDS: dict[Kind, float] = {
    kill_rank: 2,
    kill_mpiexec: 1,
    kill_proxy: 1,
    kill_shim: 1,
    pause_mpiexec: 1,
    pause_proxy: 1,
    pause_shim: 1,
    pause_rank: 1,
    pause_agent: 1,
    kill_agent: 1,
    cut_link: 1,
    degrade_link: 1,
    fill_disk: 1,
    kill_server: 0.5,
}  # and how likely each is


def is_rank(process: psutil.Process) -> bool:
    """A rank itself; mpiexec and its proxy name the module as well, but run no Python."""
    return "python" in program_name(process) and "ringscope.rank" in process.cmdline()


def is_mpiexec(process: psutil.Process) -> bool:
    """A first node's launcher."""
    return program_name(process).startswith("mpiexec")


def is_proxy(process: psutil.Process) -> bool:
    """A node's launcher proxy."""
    return program_name(process) == "hydra_pmi_proxy"


def is_busy_shim(process: psutil.Process) -> bool:
    """A shim that has ranks."""
    return is_shim(process) and bool(process.children())


def is_shim(process: psutil.Process) -> bool:
    """A shim, with a task or spare."""
    return "ringscope_agent.shim.process" in process.cmdline()


def _those(processes: Iterable[psutil.Process], is_it: Callable[[psutil.Process], bool]) -> list[psutil.Process]:
    found = []
    for process in processes:
        with suppress(psutil.Error):
            if is_it(process):
                found.append(process)
    return found


def _short_or_long(random: Random) -> float:
    """Mostly shorter than the heartbeats' deadline of 15 s; a shim waits 20 s for its agent."""
    return random.uniform(1, 8) if random.random() < 0.8 else random.uniform(16, 25)


def _kill(process: psutil.Process) -> None:
    with suppress(psutil.Error):
        process.kill()


def _resume(process: psutil.Process) -> None:
    with suppress(psutil.Error):
        process.send_signal(signal.SIGCONT)
