"""Finds the processes of one attempt on this node, by every proof that the system offers.

A script may start any process: in a session of its own, with an empty environment, forked twice, with all descriptors
closed. Its shim is a subreaper, so while the shim lives, exactly these processes descend from it. When a shim
dies, the agent that started it inherits them, because it is a subreaper as well. The control group of the attempt, if
the system offers one, and the token in the environment work without shim and agent.
"""

import asyncio
import os
from collections.abc import Collection
from pathlib import Path

from ringscope_agent import process_group
from ringscope_agent.control_group import ControlGroup
from ringscope_agent.process_group import Process


class Belonging:
    """Finds and ends the processes of one attempt, except its shim.

    Args:
        token: the value in the environment of everything that the shim starts.
        home: the data directory of this agent, because several agents may share a machine, and even a gang.
        note: the file with the path of the attempt's control group.
    """

    def __init__(self, token: str, home: Path, note: Path) -> None:
        self._token = token
        self._home = home
        self._note = note
        self._shim: Process | None = None
        self._inherits = False
        self._seen: dict[int, Process] = {}

    def open_group(self) -> ControlGroup | None:
        """Make a control group for what this process, the shim, will start. Return None if the system offers none."""
        return ControlGroup.make(f"ringscope-{self._token[:12]}-{os.getpid()}", self._note)

    def drop_group(self, group: ControlGroup) -> None:
        """Remove a control group that no process can enter."""
        group.remove()
        self._note.unlink(missing_ok=True)

    def follow(self, shim_pid: int) -> None:
        """Set the pid of the shim; its descendants belong to the attempt."""
        self._shim = process_group.read(shim_pid)
        parent_pid = self._shim.parent_pid if self._shim is not None else 0
        self._inherits = os.getpid() in (shim_pid, parent_pid)

    @property
    def is_provable(self) -> bool:
        """Return whether ``processes`` cannot miss one. The token alone is no proof: a process may have dropped it."""
        return self._inherits or self._shim_lives or ControlGroup.known(self._note) is not None

    @property
    def _shim_lives(self) -> bool:
        if self._shim is None:
            return False
        found = process_group.read(self._shim.pid)
        return found is not None and found.started == self._shim.started

    def processes(self) -> list[Process]:
        """Return all processes of the attempt that are alive now."""
        table = process_group.table()
        members = process_group.carriers_of(self._token, self._home) | self._below_shim(table)
        if (group := ControlGroup.known(self._note)) is not None:
            members |= group.pids()
        members |= {pid for pid, seen in self._seen.items() if pid in table and table[pid].started == seen.started}
        members = process_group.with_descendants(table, members) - self._not_members
        self._seen = {pid: table[pid] for pid in members}
        return process_group.with_commands(table, members)

    def look(self) -> None:
        """Remember the shim's descendants of this moment, in case nothing else proves them later."""
        if self._shim is not None and not self._inherits and ControlGroup.known(self._note) is None:
            table = process_group.table()
            self._seen |= {pid: table[pid] for pid in self._below_shim(table)}

    def kill_now(self, spare: Collection[int]) -> list[Process]:
        """Send SIGKILL to all processes except ``spare`` without waiting; return those that were killed."""
        killed = [process for process in self.processes() if process.pid not in spare]
        process_group.kill_now(killed)
        return killed

    async def end(self, grace_seconds: float) -> list[Process]:
        """End all processes; return those that could not be ended."""
        if (group := ControlGroup.known(self._note)) is not None and group.thaw():
            await asyncio.sleep(process_group.POLL_SECONDS)
        left = await process_group.end_processes(self.processes, grace_seconds)
        if left and group is not None:
            group.kill()  # what forks faster than it is found
            left = await process_group.end_processes(self.processes, 0.0)
        return left

    def forget(self) -> None:
        """Remove the control group, once no process is left."""
        if (group := ControlGroup.known(self._note)) is not None:
            group.remove()

    def _below_shim(self, table: dict[int, Process]) -> set[int]:
        if self._shim is None:
            return set()
        found = table.get(self._shim.pid)
        if found is not None and found.started == self._shim.started:
            return process_group.with_descendants(table, {found.pid}) - self._not_members
        # Only what a dead shim has left comes to the agent, and all attempts of dead shims are over: whichever of
        # them it is, it is to be ended before any of their slots is free.
        return process_group.orphans(table) if self._inherits else set()

    @property
    def _not_members(self) -> set[int]:
        return {os.getpid()} | ({self._shim.pid} if self._shim is not None else set())
