"""The reconcile loop: the server says what should be, the agent makes it so."""

import asyncio
import contextlib
import logging

from ringscope.protocol import Assignment, Registration
from ringscope_agent import inventory, launcher, process_group
from ringscope_agent.attempt import Attempt, NodeContext
from ringscope_agent.client import LAST_RETRY_SECONDS, RejectedError, ServerClient
from ringscope_agent.exporter import Exporter, MetricsServer
from ringscope_agent.home import AttemptFolder, DataHome
from ringscope_agent.settings import AgentSettings, SettingsError

logger = logging.getLogger(__name__)

GOODBYE_SECONDS = 5.0
LEFTOVER_GRACE_SECONDS = 2.0


class Agent:
    """One node of the cluster. Everything runs in one event loop on the main thread."""

    def __init__(self, settings: AgentSettings) -> None:
        self._settings = settings
        self._attempts: dict[int, Attempt] = {}
        self._folders: dict[int, AttemptFolder] = {}
        self._lives: dict[int, asyncio.Task[None]] = {}
        self._seen = -1
        self._stopping = asyncio.Event()
        self._programs = launcher.find_programs()

    def stop(self) -> None:
        """End all ranks, tell the server and return from ``run`` (SIGTERM, Ctrl-C)."""
        self._stopping.set()

    async def run(self) -> None:
        """Serve until ``stop``. Raises SettingsError, TokenRefusedError, or RejectedError."""
        token = self._settings.read_token()
        with contextlib.ExitStack() as stack:
            home = DataHome(self._settings.data_dir, self._settings.name)
            stack.callback(home.close)
            exporter = Exporter(inventory.find_versions(None).get("ringscope", "unknown"), self._spool_bytes)
            # Closing it would take half a second; its thread is a daemon and ends with the process.
            metrics = self._serve_metrics(exporter)
            process_group.become_subreaper()
            for folder in home.attempts():
                if await self._end_leftover(folder):
                    folder.tidy()
            client = ServerClient(self._settings.server, token, self._registration(metrics.port), exporter.contact)
            context = NodeContext(self._settings, client, exporter, self._programs)
            try:
                await self._serve(context, home)
            finally:
                await client.close()

    async def _serve(self, context: NodeContext, home: DataHome) -> None:
        polling = asyncio.create_task(self._poll(context, home))
        stopping = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait({polling, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not polling.done():
                await self._say_goodbye(polling)
        finally:
            for task in (polling, stopping):
                task.cancel()
            await asyncio.gather(polling, stopping, return_exceptions=True)
            await self._abandon()
        if not polling.cancelled():
            polling.result()

    async def _poll(self, context: NodeContext, home: DataHome) -> None:
        await context.client.register()
        while True:
            try:
                directives = await context.client.poll(self._seen)
            except RejectedError as error:
                # Something on the way may answer for a server that is being started again; the ranks go on.
                logger.error("The server rejects the poll of this node: %s", error)
                await asyncio.sleep(LAST_RETRY_SECONDS)
                continue
            self._seen = directives.revision
            await self._forget_all_but({assignment.attempt_id for assignment in directives.assignments}, home)
            for assignment in directives.assignments:
                try:
                    self._apply(assignment, context, home)
                except OSError as error:
                    logger.error("Attempt %d cannot be taken on: %s", assignment.attempt_id, error)

    def _apply(self, assignment: Assignment, context: NodeContext, home: DataHome) -> None:
        known = self._attempts.get(assignment.attempt_id)
        if known is not None:
            known.update(assignment)
            return
        folder = home.open_attempt(assignment.attempt_id, assignment.token)
        attempt = Attempt(context, assignment, folder, self._refusal(assignment))
        self._attempts[assignment.attempt_id] = attempt
        self._folders[assignment.attempt_id] = folder
        life = asyncio.create_task(attempt.run())
        self._lives[assignment.attempt_id] = life
        life.add_done_callback(lambda done: self._on_life_over(assignment.attempt_id, done))

    def _on_life_over(self, attempt_id: int, life: asyncio.Task[None]) -> None:
        """Forget a clean attempt; one that was cut short keeps its folder for the next life of the agent."""
        attempt, folder = self._attempts.pop(attempt_id), self._folders.pop(attempt_id)
        del self._lives[attempt_id]
        attempt.intake.close()
        if life.cancelled():
            return
        if (fault := life.exception()) is not None:
            logger.error("Attempt %d: a fault of the agent.", attempt_id, exc_info=fault)
            return
        folder.delete()

    def _refusal(self, assignment: Assignment) -> str:
        """Why this node cannot take the assignment; empty when it can."""
        name = self._settings.name
        if self._stopping.is_set():
            return f"The agent of node {name} is being stopped."
        if isinstance(self._programs, str):
            return f"Node {name}: {self._programs}"
        wanted = assignment.gang[assignment.member].slots
        held = sum(attempt.slots for attempt in self._attempts.values())
        if wanted > self._settings.slots - held:
            return (
                f"Node {name} has {self._settings.slots - held} of {self._settings.slots} slots free and "
                f"{wanted} are asked for; attempts {sorted(self._attempts)} hold the others."
            )
        strangers = self._strangers(assignment)
        if strangers:
            return f"Node {name} still runs processes of an earlier attempt: {strangers}; end them by hand."
        return ""

    def _strangers(self, assignment: Assignment) -> list[int]:
        """Processes of attempts that this agent knows nothing about (its data directory was emptied)."""
        tokens = {attempt.token for attempt in self._attempts.values()} | {assignment.token}
        homes = process_group.carriers(process_group.HOME_VARIABLE)
        return [
            pid
            for pid, token in process_group.carriers().items()
            if token not in tokens and homes.get(pid) == str(self._settings.data_dir)
        ]

    async def _forget_all_but(self, wanted: set[int], home: DataHome) -> None:
        """What the server no longer lists is over, whatever this node was doing."""
        for attempt_id in set(self._attempts) - wanted:
            if self._attempts[attempt_id].said_clean:
                # The server took the report; its answer to the poll was merely faster.
                await asyncio.wait({self._lives[attempt_id]}, timeout=LEFTOVER_GRACE_SECONDS)
            if attempt_id in self._attempts:
                logger.warning("Attempt %d is no longer assigned; ending what is left of it.", attempt_id)
                await self._cut_short(attempt_id)
        for folder in home.attempts():
            if folder.state.attempt_id not in wanted and await self._end_leftover(folder):
                folder.delete()

    async def _cut_short(self, attempt_id: int) -> None:
        life = self._lives[attempt_id]
        life.cancel()
        await asyncio.gather(life, return_exceptions=True)

    async def _say_goodbye(self, polling: asyncio.Task[None]) -> None:
        """Give the attempts a short while to end in good order; the server is still polled."""
        for attempt in self._attempts.values():
            attempt.interrupt()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + GOODBYE_SECONDS
        while self._lives and not polling.done() and (left := deadline - loop.time()) > 0:
            await asyncio.wait({*self._lives.values(), polling}, timeout=left, return_when=asyncio.FIRST_COMPLETED)

    async def _abandon(self) -> None:
        """End what is left without the server; its spools wait for the next life of this agent."""
        for attempt_id in list(self._lives):
            await self._cut_short(attempt_id)

    async def _end_leftover(self, folder: AttemptFolder) -> bool:
        """No process of an attempt that is over may share the node with what comes now; whether none is left."""
        left = await process_group.end_processes(folder.state.token, self._settings.data_dir, LEFTOVER_GRACE_SECONDS)
        if left:
            logger.error(
                "Attempt %d: these processes cannot be ended: %s.",
                folder.state.attempt_id,
                [process.pid for process in left],
            )
        return not left

    def _registration(self, metrics_port: int) -> Registration:
        settings = self._settings
        mpiexec = None if isinstance(self._programs, str) else self._programs.mpiexec
        address = settings.reachable_address
        return Registration(
            name=settings.name,
            address=address,
            slots=settings.slots,
            metrics_address=f"{address}:{metrics_port}",
            inventory=inventory.take_inventory(),
            versions=inventory.find_versions(mpiexec),
            labels=settings.labels,
        )

    def _serve_metrics(self, exporter: Exporter) -> MetricsServer:
        address, port = self._settings.reachable_address, self._settings.metrics_port
        try:
            return MetricsServer(exporter, address, port)
        except OSError as error:
            raise SettingsError(
                f"metrics_port: {address}:{port} cannot be listened on ({error.strerror}); "
                "choose another with --metrics-port, or 0 for any free one."
            ) from None

    def _spool_bytes(self) -> int:
        return sum(attempt.intake.spool.pending_bytes for attempt in list(self._attempts.values()))
