"""The reconcile loop: the server states what should run on this node, and the agent makes it so."""

import asyncio
import contextlib
import errno
import logging
import time
from collections.abc import Coroutine
from functools import partial
from typing import get_args

from ringscope.contracts.address import Address
from ringscope.contracts.inventory import Lack
from ringscope.contracts.job import JobKind
from ringscope.contracts.protocol import Assignment, Registration, Report
from ringscope.contracts.words.machine import Machine
from ringscope.contracts.words.version import __version__
from ringscope.rank.machine import known_machine
from ringscope_agent import inventory, process_group
from ringscope_agent.attempt import Attempt
from ringscope_agent.checkpoints import Checkpoints, jobs_used
from ringscope_agent.client import LAST_RETRY_SECONDS, RejectedError, ServerClient, TokenRefusedError, TooOldError
from ringscope_agent.directives import Foreign
from ringscope_agent.gpu_health.watch import READ_SECONDS, GpuWatch
from ringscope_agent.home import AttemptFolder, DataHome
from ringscope_agent.joining import NodeToken
from ringscope_agent.launch.mpi_start import find_fault
from ringscope_agent.launch.node_check import find_obstacle
from ringscope_agent.launch.programs import find_programs
from ringscope_agent.metrics.exporter import Exporter
from ringscope_agent.metrics.metrics_server import MetricsServer
from ringscope_agent.needs import find_lacks
from ringscope_agent.ras_watch import RasWatch
from ringscope_agent.readings import node_reading
from ringscope_agent.settings import METRICS_PORT, AgentSettings, SettingsError
from ringscope_agent.shim.node_context import NodeContext
from ringscope_agent.shim.pool import ShimPool

logger = logging.getLogger(__name__)

GOODBYE_SECONDS = 8.0
LEAVE_SECONDS = 4.0
# The agent ends by itself this long before its batch system takes the node back: time for both of the above.
LEAVE_EARLY_SECONDS = 15.0
LEFTOVER_GRACE_SECONDS = 2.0
KEEP_LOADED_SECONDS = 60.0  # the next attempt of an elastic job comes within seconds


class Agent:
    """One node of the cluster. Everything runs in one event loop on the main thread."""

    def __init__(self, settings: AgentSettings) -> None:
        self._settings = settings
        self._attempts: dict[int, Attempt] = {}
        self._folders: dict[int, AttemptFolder] = {}
        self._lives: dict[int, asyncio.Task[None]] = {}
        self._dropping: asyncio.Task[None] | None = None
        self._seen = -1
        self._assignments: list[Assignment] = []
        self._foreign: list[Foreign] = []
        self._stopping = asyncio.Event()
        self._programs = find_programs()
        self._ras = RasWatch(settings.nccl_ras) if settings.nccl_ras else None

    def stop(self) -> None:
        """End all ranks, tell the server and return from ``run`` (SIGTERM, Ctrl-C)."""
        self._stopping.set()

    async def run(self) -> None:
        """Serve until ``stop``. Raises SettingsError, TokenRefusedError, or RejectedError."""
        with contextlib.ExitStack() as stack:
            home = DataHome(self._settings.data_dir, self._settings.name)
            stack.callback(home.close)
            max_world_size = self._settings.rank_series_max_world_size
            exporter = Exporter(inventory.find_versions(None), self._spool_bytes, max_world_size)
            gpus = GpuWatch(partial(setattr, exporter, "gpus") if self._settings.gpu_metrics else lambda _: None)
            # Closing it would take half a second; its thread is a daemon and ends with the process.
            metrics = self._serve_metrics(exporter)
            process_group.become_subreaper()
            was_here = bool(home.attempts())  # and its ranks may run
            machine = await asyncio.to_thread(known_machine, may_measure=not was_here)
            registration = self._registration(metrics.port, machine)
            node_token = NodeToken(self._settings, registration)
            token = await self._unless_stopped(node_token.obtain())
            if token is None:
                return
            client = ServerClient(
                self._settings.server,
                token,
                registration,
                exporter.contact,
                renew=node_token.renew,
                reading=lambda: node_reading(gpus.states),
                was_here=was_here,
                ras=lambda: self._ras.state() if self._ras else None,
                gpus=lambda: gpus.states,
            )
            shims = ShimPool(self._settings.data_dir)
            checkpoints = Checkpoints(self._settings.data_dir, self._settings.keep_checkpoints_hours * 3600)
            context = NodeContext(self._settings, client, exporter, shims, checkpoints, self._programs, machine, gpus)
            # Before the server answers: shims of an earlier life wait for an agent only so long.
            self._take_back(home, context)
            try:
                await self._serve(context, home, node_token)
            finally:
                checkpoints.memory.close()
                await shims.close()
                await client.close()

    async def _unless_stopped(self, work: Coroutine[None, None, str]) -> str | None:
        """Return the result of the work, or None if the agent was stopped first and the work was cancelled."""
        working, stopping = asyncio.create_task(work), asyncio.create_task(self._stopping.wait())
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        for task in (working, stopping):
            task.cancel()
        await asyncio.gather(working, stopping, return_exceptions=True)
        return None if working.cancelled() else working.result()

    async def _serve(self, context: NodeContext, home: DataHome, node_token: NodeToken) -> None:
        polling = asyncio.create_task(self._poll(context, home, node_token))
        stopping = asyncio.create_task(self._stopping.wait())
        tidying = asyncio.create_task(context.checkpoints.tidy_now_and_then(self._jobs_in_use))
        checking = asyncio.create_task(self._try_mpi(context))
        beside = [tidying, checking, *([asyncio.create_task(self._ras.run())] if self._ras else [])]
        if context.client.has_gpus:
            beside.append(asyncio.create_task(self._watch_gpus(context)))
        self._stop_in_time()
        try:
            await asyncio.wait({polling, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not polling.done():
                await self._say_goodbye(polling)
            elif context.client.registered is not None and isinstance(refusal := polling.exception(), TooOldError):
                await self._dismiss_attempts(refusal.sentence)
        finally:
            for task in (polling, stopping, *beside):
                task.cancel()
            await asyncio.gather(polling, stopping, *beside, return_exceptions=True)
            is_clean = not self._lives
            await self._abandon()
        if not polling.cancelled():
            polling.result()
        if is_clean and self._settings.says_goodbye:
            await self._leave(context.client)

    async def _try_mpi(self, context: NodeContext) -> None:
        """Start one rank if no rank runs yet, and report to the server if that fails."""
        if isinstance(self._programs, str) or self._attempts:
            return
        if fault := await find_fault():
            logger.error("%s", fault)
            with contextlib.suppress(RejectedError, TokenRefusedError):  # the next poll hears the same, and says so
                await context.client.lack(Lack(sentence=fault, kinds=list(get_args(JobKind))))

    async def _watch_gpus(self, context: NodeContext) -> None:
        """Read the GPUs for ever, and report to the server what is wrong with them."""

        async def report(faults: list[str]) -> None:
            for fault in faults:
                logger.error("%s", fault)
            with contextlib.suppress(RejectedError, TokenRefusedError):  # the next poll hears the same, and says so
                await context.client.gpu_faults(faults)

        is_scraped = self._settings.gpu_metrics
        await context.gpus.run(self._settings.scrape_interval_seconds if is_scraped else READ_SECONDS, report)

    def _stop_in_time(self) -> None:
        if self._settings.leaves_at is not None:
            left = self._settings.leaves_at.timestamp() - time.time()
            asyncio.get_running_loop().call_later(max(0.0, left - LEAVE_EARLY_SECONDS), self.stop)

    async def _leave(self, client: ServerClient) -> None:
        """Take this node off the server's lists. If that fails, the server finds the node lost and forgets it later."""
        try:
            async with asyncio.timeout(LEAVE_SECONDS):
                await client.leave()
        except (TimeoutError, RejectedError, TokenRefusedError) as error:
            logger.warning("This node could not leave in good order: %s", str(error) or type(error).__name__)
        else:
            logger.info("Node %s has left.", self._settings.name)

    async def _poll(self, context: NodeContext, home: DataHome, node_token: NodeToken) -> None:
        await context.client.register()
        context.shims.prepare()
        while True:
            try:
                directives = await context.client.poll(self._seen)
            except TooOldError:
                raise
            except RejectedError as error:
                # Something on the way may answer for a server that is being started again; the ranks go on.
                logger.error("The server rejects the poll of this node: %s", error)
                await asyncio.sleep(LAST_RETRY_SECONDS)
                continue
            self._seen = directives.revision
            if directives.assignments is not None:
                self._assignments, self._foreign = directives.known(), directives.foreign()
            listed: list[Assignment | Foreign] = [*self._assignments, *self._foreign]
            await self._forget_all_but({(wanted.attempt_id, wanted.token) for wanted in listed}, home)
            for assignment in self._assignments:
                try:
                    self._apply(assignment, context, home)
                except OSError as error:
                    await self._turn_away(assignment.attempt_id, context.client, str(error))
            for foreign in self._foreign:
                await self._turn_away(foreign.attempt_id, context.client, self._too_new(foreign))
            if directives.rotate_token:
                await self._rotate(context.client, node_token)

    async def _rotate(self, client: ServerClient, node_token: NodeToken) -> None:
        try:
            await client.rotate(node_token.keep)
        except (RejectedError, OSError) as error:
            logger.error("This node keeps the token that it has: %s", error)

    def _apply(self, assignment: Assignment, context: NodeContext, home: DataHome) -> None:
        known = self._attempts.get(assignment.attempt_id)
        if known is not None:
            known.update(assignment)
        else:
            self._take_on(home.new_attempt(assignment), context)

    def _take_back(self, home: DataHome, context: NodeContext) -> None:
        """Continue the attempts that an earlier run of this agent left."""
        for folder in home.attempts():
            try:
                self._take_on(folder, context)
            except OSError as error:  # its ranks are ended, and the folder deleted, once the server says so
                logger.error("Attempt %d: %s", folder.state.assignment.attempt_id, error)

    @staticmethod
    def _too_new(foreign: Foreign) -> str:
        return (
            f"its agent, ringscope {__version__}, does not understand the job ({foreign.finding}); upgrade the agent, "
            "or leave the field out"
        )

    async def _turn_away(self, attempt_id: int, client: ServerClient, fault: str) -> None:
        """Refuse an assignment; nothing was started, so there is nothing to clean up."""
        message = f"Node {self._settings.name} cannot take attempt {attempt_id} on: {fault}."
        logger.error("%s", message)
        refused = Report(epoch=0, attempt_id=attempt_id, event="refused", message=message)
        for report in (refused, Report(epoch=0, attempt_id=attempt_id, event="clean")):
            try:
                await client.report(report)
            except RejectedError as rejected:
                logger.error("The server rejects %s of attempt %d: %s", report.event, report.attempt_id, rejected)

    def _take_on(self, folder: AttemptFolder, context: NodeContext) -> None:
        attempt_id = folder.state.assignment.attempt_id
        attempt = Attempt(context, folder, lambda: self._obstacle(folder.state.assignment))
        self._attempts[attempt_id] = attempt
        self._folders[attempt_id] = folder
        life = asyncio.create_task(attempt.run())
        self._lives[attempt_id] = life
        life.add_done_callback(lambda done: self._on_life_over(attempt_id, done, context))

    def _on_life_over(self, attempt_id: int, life: asyncio.Task[None], context: NodeContext) -> None:
        """Forget an attempt that is clean; one that was cut short keeps its folder for the next run of the agent."""
        attempt, folder = self._attempts.pop(attempt_id), self._folders.pop(attempt_id)
        del self._lives[attempt_id]
        attempt.records.close()
        context.checkpoints.mark_used(folder.state.assignment.job_id)
        if not self._lives and not self._stopping.is_set():
            context.shims.prepare()  # not while ranks run, whose measurements it would disturb
        asyncio.get_running_loop().call_later(KEEP_LOADED_SECONDS, self._drop_loaded, context)
        if life.cancelled():
            return
        if (fault := life.exception()) is not None:
            logger.error("Attempt %d: a fault of the agent.", attempt_id, exc_info=fault)
            return
        folder.delete()

    def _drop_loaded(self, context: NodeContext) -> None:
        """Give back the memory of the process that has loaded PyTorch, if no elastic job is here."""
        if not any(attempt.is_elastic for attempt in self._attempts.values()):
            self._dropping = asyncio.create_task(context.shims.drop_loaded())

    def _jobs_in_use(self) -> set[int]:
        """Return the jobs whose checkpoints must stay."""
        here = [folder.state.assignment for folder in self._folders.values()]
        return {job_id for assignment in (*here, *self._assignments) for job_id in jobs_used(assignment)}

    def _obstacle(self, assignment: Assignment) -> str:
        """Return why this node cannot take the assignment; empty if it can."""
        if self._stopping.is_set():
            return f"The agent of node {self._settings.name} is being stopped."
        held = {number: attempt.slots for number, attempt in self._attempts.items() if number != assignment.attempt_id}
        tokens = {attempt.token for attempt in self._attempts.values()}
        return find_obstacle(assignment, self._settings, self._programs, held, tokens)

    async def _forget_all_but(self, wanted: set[tuple[int, str]], home: DataHome) -> None:
        """End every attempt that the server no longer lists, whatever its state here."""
        for attempt_id, attempt in list(self._attempts.items()):
            if (attempt_id, attempt.token) in wanted:
                continue
            if attempt.said_clean:
                # The server took the report; its answer to the poll was merely faster.
                await asyncio.wait({self._lives[attempt_id]}, timeout=LEFTOVER_GRACE_SECONDS)
            if attempt_id in self._attempts:
                logger.warning("Attempt %d is no longer assigned; ending what is left of it.", attempt_id)
                await self._cut_short(attempt_id)
        for folder in home.attempts():
            assignment = folder.state.assignment
            if (assignment.attempt_id, assignment.token) not in wanted and await self._end_leftover(folder):
                folder.delete()

    async def _cut_short(self, attempt_id: int) -> None:
        life = self._lives[attempt_id]
        life.cancel()
        await asyncio.gather(life, return_exceptions=True)

    async def _say_goodbye(self, polling: asyncio.Task[None]) -> None:
        """Give the attempts a short time to end in good order, and keep polling the server meanwhile."""
        for attempt in self._attempts.values():
            attempt.interrupt()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + GOODBYE_SECONDS
        while self._lives and not polling.done() and (left := deadline - loop.time()) > 0:
            await asyncio.wait({*self._lives.values(), polling}, timeout=left, return_when=asyncio.FIRST_COMPLETED)

    async def _dismiss_attempts(self, refusal: str) -> None:
        """Let the attempts end in good order, whose "stop" a refused agent never hears; their reports are taken."""
        if self._lives:
            logger.error("The server refuses this agent, so its ranks are ended: %s", refusal)
            for attempt in self._attempts.values():
                attempt.dismiss(refusal)
            await asyncio.wait(self._lives.values(), timeout=GOODBYE_SECONDS)

    async def _abandon(self) -> None:
        """End what is left without the server; its spools wait for the next run of this agent."""
        for attempt_id in list(self._lives):
            await self._cut_short(attempt_id)

    async def _end_leftover(self, folder: AttemptFolder) -> bool:
        """End the processes of an attempt that is over, so that none shares the node with a new one; return whether
        none is left.
        """
        assignment = folder.state.assignment
        belonging = folder.belonging(self._settings.data_dir)
        left = await belonging.end(LEFTOVER_GRACE_SECONDS)
        belonging.forget()
        if left:
            logger.error(
                "Attempt %d: these processes cannot be ended: %s.",
                assignment.attempt_id,
                [process.pid for process in left],
            )
        return not left

    def _registration(self, metrics_port: int, machine: Machine) -> Registration:
        settings = self._settings
        mpiexec, mpi_fault = (None, self._programs) if isinstance(self._programs, str) else (self._programs.mpiexec, "")
        address = settings.reachable_address
        return Registration(
            name=settings.name,
            address=address,
            slots=settings.slots,
            metrics_address=str(Address(address, metrics_port)),
            inventory=inventory.take_inventory(settings, find_lacks(settings, mpi_fault), machine),
            versions=inventory.find_versions(mpiexec),
            labels=settings.labels,
            leaves_at=settings.leaves_at,
        )

    def _serve_metrics(self, exporter: Exporter) -> MetricsServer:
        """Serve /metrics on the chosen port; if none was chosen, on any free port if the default one is taken."""
        address, chosen = self._settings.reachable_address, self._settings.metrics_port
        port = METRICS_PORT if chosen is None else chosen
        try:
            return MetricsServer(exporter, address, port)
        except OSError as error:
            if chosen is None and error.errno == errno.EADDRINUSE:
                server = MetricsServer(exporter, address, 0)
                logger.warning("metrics_port: %s is taken here, so /metrics is on port %d.", port, server.port)
                return server
            raise SettingsError(
                f"metrics_port: {Address(address, port)} cannot be listened on ({error.strerror}); "
                "choose another with --metrics-port, or 0 for any free one."
            ) from None

    def _spool_bytes(self) -> int:
        return sum(attempt.records.spool.pending_bytes for attempt in list(self._attempts.values()))
