"""The agent's part in supervising an attempt's ranks: it finds or starts their shim, commands it and follows it."""

import asyncio
import contextlib
import json
import logging
import os
from collections.abc import Callable

from pydantic import ValidationError

from ringscope.contracts.protocol import Proxy
from ringscope.contracts.rank_process import (
    ADDRESS_VARIABLE,
    EARLIER_VARIABLE,
    NODES_VARIABLE,
    SCRIPTS_VARIABLE,
    THREADS_VARIABLE,
)
from ringscope.engine.cores import cores_each
from ringscope_agent import process_group
from ringscope_agent.belonging import Belonging
from ringscope_agent.gpus import VISIBLE_VARIABLE, find_uuids
from ringscope_agent.home import AttemptFolder
from ringscope_agent.launch.node_check import may_use_gpus
from ringscope_agent.launch.outcome import Outcome
from ringscope_agent.launch.programs import MpiPrograms
from ringscope_agent.launch.stopped import LOOK_SECONDS, StoppedWatch
from ringscope_agent.launch.visible_gpus import visible_gpus
from ringscope_agent.shim.connection import ShimConnection
from ringscope_agent.shim.messages import Status, Task, Wanted
from ringscope_agent.shim.node_context import NodeContext
from ringscope_agent.shim.records import Records

logger = logging.getLogger(__name__)

# A shim reads the last output of what was ended; it takes milliseconds where nothing hangs.
CLOSE_SECONDS = 9.0
SHIM = "The shim of the ranks"


class ShimController:
    """One attempt's shim, whichever run of the agent started it.

    Args:
        belonging: of the attempt; it gets the pid of the shim.
        on_records: called when records were read from the spool.
        on_status: takes the shim's status.
    """

    def __init__(
        self,
        context: NodeContext,
        folder: AttemptFolder,
        belonging: Belonging,
        records: Records,
        on_records: Callable[[], None],
        on_status: Callable[[Status], None],
    ) -> None:
        self._context = context
        self._folder = folder
        self._belonging = belonging
        self._records = records
        self._on_records = on_records
        self._on_status = on_status
        self._link: ShimConnection | None = None
        self._watch = StoppedWatch()
        self._news = asyncio.Event()
        self._launch = False
        self._proxy: Proxy | None = None
        self.visible_gpus: list[str] = []  # the UUIDs that its ranks see; empty: all, or it is not known

    @property
    def has_begun(self) -> bool:
        """Return whether there is a shim, or there was one that may have started ranks."""
        return self._link is not None or self._folder.state.launched

    @property
    def has_lost_ranks(self) -> bool:
        """Return whether ranks have ended by themselves, so that there is, or will be, an outcome to report."""
        return self._link is not None and bool(self._link.status.lost_ranks)

    @property
    def has_proven_its_end(self) -> bool:
        """Return whether the shim ended by itself, which it does only when none of its processes is left."""
        return self._folder.paths is not None and self._status(is_gone=True).nothing_left

    def want(self, launch: bool, proxy: Proxy | None) -> None:
        """Set what the server wants; neither is ever taken back."""
        self._launch = self._launch or launch
        self._proxy = self._proxy or proxy
        self._news.set()

    async def find(self) -> None:
        """Find the shim of an earlier run of this agent, if there is one."""
        if (paths := self._folder.paths) is None:
            return
        try:
            self._link = await ShimConnection.connect(paths.shim_socket, self._news.set)
        except OSError:
            return
        self._belonging.follow(self._link.pid)
        number = self._folder.state.assignment.attempt_id
        logger.info("Attempt %d: its shim (pid %d) is found again.", number, self._link.pid)

    async def start(self) -> None:
        """Give the attempt to a new shim. Raises OSError if that fails."""
        programs, settings = self._context.programs, self._context.settings
        assert isinstance(programs, MpiPrograms)
        assignment = self._folder.state.assignment
        variables = self._context.checkpoints.prepare(assignment)
        if assignment.spec.own_files and settings.scripts is not None:
            variables[SCRIPTS_VARIABLE] = str(settings.scripts)
        if may_use_gpus(assignment.spec) and VISIBLE_VARIABLE not in assignment.spec.env:
            is_script = assignment.spec.script is not None  # ranks of other jobs choose among all GPUs
            if seen := visible_gpus(assignment.slots, settings.slots, find_uuids(), os.environ, may_share=is_script):
                variables[VISIBLE_VARIABLE] = seen
                self.visible_gpus = seen.split(",")
        variables[ADDRESS_VARIABLE] = assignment.gang[assignment.member].address
        if assignment.spec.measured_pairs is not None:
            places = [(member.node, member.rack) for member in assignment.gang for _ in range(member.slots)]
            variables[NODES_VARIABLE] = json.dumps(places)
            variables[EARLIER_VARIABLE] = str(self._folder.earlier)
        if assignment.spec.benchmark is None:
            variables[THREADS_VARIABLE] = os.environ.get(THREADS_VARIABLE) or str(cores_each(settings.slots))
        task = Task(
            assignment=assignment,
            paths=self._folder.prepare(self._context.machine),
            data_dir=settings.data_dir,
            programs=programs,
            rank_module=settings.rank_module,
            fault=settings.fault,
            variables=variables,
            away_seconds=settings.away_seconds,
        )
        self._link = await self._context.shims.hand_over(task, self._news.set)
        self._belonging.follow(self._link.pid)

    async def follow(self) -> Outcome:
        """Command the shim and pass on what it reports, until its ranks have ended. Raises OSError."""
        while True:
            self._news.clear()
            is_gone = self._link is None or self._link.is_gone
            status = self._status(is_gone)
            await self._read_records()
            self._records.note(status)
            self._on_status(status)
            if status.outcome is not None:
                return status.outcome
            if is_gone:
                return self._orphaned(status)
            if (stopped := self._look()) is not None:
                return stopped
            await self._command()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._news.wait()

    def announce_end(self) -> None:
        """Announce that the processes will be ended although nothing has failed so far."""
        if self._link is not None and self._link.status.outcome is None and not self._link.status.lost_ranks:
            self._link.want(Wanted(launch=self._launch, proxy=self._proxy, ending=True))

    async def close(self) -> str:
        """Let the shim read what is left and end, and read all of it; every process has been ended before.

        Return a description of the shim if it cannot be ended, else an empty text; call this again then.
        """
        if self._link is not None:
            self._link.want(Wanted(close=True))
            if not await self._link.wait_until_gone(CLOSE_SECONDS):
                return f"{self._link.pid} (the shim, state {process_group.standstill_of(self._link.pid)})"
            self._records.note(self._link.status)
        await self._read_records()
        self._records.hang_up()
        self._folder.tidy()
        return ""

    async def _command(self) -> None:
        assert self._link is not None
        is_first = self._launch and not self._folder.state.launched
        if is_first:
            self._folder.mark_launched()
        if self._folder.state.launched:
            # Counters are there before the first record: rate() cannot see what they held at their first scrape.
            self._records.show()
        if is_first and (seconds := self._context.settings.wait_for_scrape_seconds):
            await self._context.exporter.wait_for_scrape(seconds)
        self._link.want(Wanted(launch=self._launch, proxy=self._proxy))

    async def _read_records(self) -> None:
        await self._records.read()
        self._on_records()

    def _look(self) -> Outcome | None:
        """Return the outcome if the shim, which alone watches the ranks and their launchers, cannot continue by
        itself.
        """
        assert self._link is not None
        pid = self._link.pid
        self._belonging.look()
        states = {SHIM: process_group.standstill_of(pid)}
        stopped = self._watch.look({SHIM: pid}, states, asyncio.get_running_loop().time())
        found = self._link.mute(SHIM) if stopped is None else stopped
        if found is None:
            return None
        sentence = f"{found.sentence(self._context.settings.name)}, so its ranks were ended."
        return Outcome("launcher_lost", sentence)

    def _status(self, is_gone: bool) -> Status:
        """Take the shim's status, or the one that it wrote before it ended without an agent."""
        if self._link is not None and (not is_gone or self._link.status.outcome is not None):
            return self._link.status
        assert self._folder.paths is not None
        try:
            return Status.model_validate_json(self._folder.paths.status.read_bytes())
        except (OSError, ValidationError):
            return Status() if self._link is None else self._link.status

    def _orphaned(self, status: Status) -> Outcome:
        return Outcome(
            "launcher_lost" if status.is_running else "launch_failed",
            f"The shim of the ranks on node {self._context.settings.name} was killed or crashed, "
            f"{'and its ranks died with it' if self._folder.state.launched else 'before it had started ranks'}; "
            f"{self._context.shims.log_path} on that node may say why.",
        )
