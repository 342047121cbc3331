"""One attempt on this node, from the check of the node to the proof that nothing is left of it."""

import asyncio
import logging
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ringscope.protocol import Assignment, Proxy, Report
from ringscope.tuning import Table
from ringscope_agent import launcher, process_group
from ringscope_agent.client import ServerClient
from ringscope_agent.delivery import Delivery
from ringscope_agent.exporter import Exporter
from ringscope_agent.home import AttemptFolder
from ringscope_agent.intake import Intake
from ringscope_agent.outcome import Outcome
from ringscope_agent.settings import AgentSettings
from ringscope_agent.share import Share

logger = logging.getLogger(__name__)

# The first member, or the server on its behalf, ends a gang; only if both are silent does another member say so.
PEER_END_SECONDS = 20.0
RETRY_KILL_SECONDS = 2.0
UNASKED_GRACE_SECONDS = 2.0


@dataclass(frozen=True)
class NodeContext:
    """What all attempts of this agent share."""

    settings: AgentSettings
    client: ServerClient
    exporter: Exporter
    programs: launcher.MpiPrograms | str


class Attempt:
    """Follows the server's assignment (``update``) and reports what becomes of it.

    The order of events is fixed (ready, proxies, running, ended, clean), and what is desired only moves forward
    (prepare, launch, stop), so the life of an attempt is one coroutine (``run``).
    """

    def __init__(self, context: NodeContext, assignment: Assignment, folder: AttemptFolder, refusal: str) -> None:
        self._context = context
        self._assignment = assignment
        self._folder = folder
        self._refusal = refusal
        self.intake = Intake(assignment, folder.path, context.exporter, self._on_news)
        self._delivery = Delivery(
            context.client,
            assignment.attempt_id,
            self.intake.spool,
            lambda lost: context.exporter.count_dropped("refused", lost),
        )
        self._share: Share | None = None
        self._said_running = False
        self.said_clean = False
        self._launch_wanted = asyncio.Event()
        self._stop_wanted = asyncio.Event()
        self._interrupted = asyncio.Event()
        self._proxy: asyncio.Future[Proxy] = asyncio.get_running_loop().create_future()
        self.update(assignment)

    @property
    def slots(self) -> int:
        """Slots of this node that the attempt holds until it is clean."""
        return self._assignment.gang[self._assignment.member].slots

    @property
    def token(self) -> str:
        """What every process of the attempt carries."""
        return self._assignment.token

    @property
    def node(self) -> str:
        """Name of this node."""
        return self._context.settings.name

    def update(self, assignment: Assignment) -> None:
        """Take the server's latest word; repeating it changes nothing."""
        if assignment.desired in ("launch", "stop"):
            self._launch_wanted.set()
        if assignment.desired == "stop":
            self._stop_wanted.set()
        if assignment.proxy is not None and not self._proxy.done():
            self._proxy.set_result(assignment.proxy)

    def interrupt(self) -> None:
        """The agent is being stopped: end the ranks now and say so, without waiting for the server."""
        self._interrupted.set()

    async def run(self) -> None:
        """Live until the server knows that the node is clean."""
        delivery = asyncio.create_task(self._delivery.run())
        try:
            await self._work_until_told()
            await self._stop_wanted.wait()
            await self._clean_up()
            await self._delivery.flush_records()
            self.said_clean = True
            self._report("clean", last_sequence=self.intake.spool.acknowledged)
            await self._delivery.flush_reports()
        except asyncio.CancelledError:
            # The server has forgotten the attempt, or the agent ends without it.
            await self._end_processes()
            await self._close()
            raise
        finally:
            delivery.cancel()
            await asyncio.gather(delivery, return_exceptions=True)

    async def _work_until_told(self) -> None:
        """Do the attempt's work until it is over, or the server or the agent's own end says stop."""
        work = asyncio.create_task(self._work())
        signals = [asyncio.create_task(event.wait()) for event in (self._stop_wanted, self._interrupted)]
        try:
            await asyncio.wait({work, *signals}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done() and not self._stop_wanted.is_set():
                self._ended(Outcome("agent_restarted", f"The agent of node {self.node} was stopped."))
        finally:
            for task in (work, *signals):
                task.cancel()
            await asyncio.gather(work, *signals, return_exceptions=True)
        if not self._stop_wanted.is_set():
            await self._end_processes()

    async def _work(self) -> None:
        if self._stop_wanted.is_set():
            return
        if self._folder.state.launched:
            self._ended(Outcome("agent_restarted", f"The agent of node {self.node} was started again."))
            return
        if self._refusal:
            self._report("refused", message=self._refusal)
            return
        try:
            tuning = self._assignment.tuning or Table()
            spec_json, ranks = self._assignment.spec.model_dump_json(), self._assignment.ranks
            socket_path = self._folder.prepare(spec_json, tuning, ranks)
            await self.intake.start(socket_path)
            self._report("ready")
            await self._launch_wanted.wait()
            outcome = await self._launch(socket_path)
        except OSError as error:
            outcome = Outcome("launch_failed", f"Node {self.node} cannot start the ranks: {error}.")
        except Exception as error:
            logger.exception("Attempt %d: a fault of the agent.", self._assignment.attempt_id)
            outcome = Outcome("launch_failed", f"The agent of node {self.node} failed: {error!r}.")
        self._ended(outcome)

    async def _launch(self, socket_path: Path) -> Outcome:
        programs = self._context.programs
        assert isinstance(programs, launcher.MpiPrograms)
        self._context.exporter.add(self.intake.counters)
        self._folder.mark_launched()
        self._share = Share(
            self._assignment,
            programs,
            self._environment(socket_path),
            self._context.settings.rank_module,
            self.intake.board,
            on_log=self.intake.log,
            on_proxies=lambda proxies: self._report("proxies", proxies=proxies),
            drain=self.intake.drain,
        )
        outcome = await self._share.run(self._proxy)
        if outcome is None:
            await asyncio.sleep(PEER_END_SECONDS)
            outcome = Outcome("rank_exit", f"The launcher proxy on node {self.node} lost the rest of its gang.")
        return outcome

    def _environment(self, socket_path: Path) -> dict[str, str]:
        return launcher.rank_environment(
            os.environ,
            Path(sys.executable).parent,
            self._context.settings.data_dir,
            self._assignment.token,
            socket_path,
            self._folder.spec_path,
            self._folder.tuning_path,
            self._folder.positions_path,
            self._context.settings.fault,
        )

    async def _clean_up(self) -> None:
        """End every process; a node that cannot prove itself free never reports clean."""
        while not await self._end_processes():  # noqa: ASYNC110 - each round tries to kill again
            await asyncio.sleep(RETRY_KILL_SECONDS)
        await self._close()

    async def _close(self) -> None:
        if self._share is not None:
            await self._share.close()
            self._share = None
        await self.intake.stop()
        loop = asyncio.get_running_loop()
        linger = self._context.settings.metrics_linger_seconds
        loop.call_later(linger, self._context.exporter.remove, self.intake.counters)

    async def _end_processes(self) -> bool:
        """End every process of the attempt; whether they are proven gone."""
        grace = self._assignment.grace_seconds
        if not self._stop_wanted.is_set():
            grace = min(grace, UNASKED_GRACE_SECONDS)
        left = await process_group.end_processes(self.token, self._context.settings.data_dir, grace)
        if not left:
            self._folder.tidy()
            return True
        logger.error(
            "Attempt %d: %d processes cannot be ended: %s.",
            self._assignment.attempt_id,
            len(left),
            ", ".join(f"{process.pid} ({process.command[:60]})" for process in left),
        )
        return False

    def _ended(self, outcome: Outcome) -> None:
        self._report(
            "ended",
            reason=outcome.reason,
            message=outcome.message,
            rank=outcome.rank,
            exit_code=outcome.exit_code,
        )

    def _report(
        self,
        event: Literal["ready", "refused", "proxies", "running", "ended", "clean"],
        **content: Any,
    ) -> None:
        logger.info("Attempt %d: %s %s", self._assignment.attempt_id, event, content.get("message", ""))
        self._delivery.report(Report(epoch=0, attempt_id=self._assignment.attempt_id, event=event, **content))

    def _on_news(self) -> None:
        self._delivery.notice_records()
        board = self.intake.board
        if board.all_said_hello and not self._said_running:
            self._said_running = True
            self._report("running")
        if board.has_trouble and self._share is not None:
            self._share.notice_trouble()
