"""One attempt on this node, from the check of the node to the proof that nothing is left of it."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

from ringscope.contracts.protocol import Assignment, Report
from ringscope.engine.cores import cores_each
from ringscope_agent import process_group
from ringscope_agent.gpu_health.watch import JobWatch
from ringscope_agent.home import AttemptFolder
from ringscope_agent.launch import dumps, evidence, gpu_release, reach
from ringscope_agent.launch.node_check import may_use_gpus
from ringscope_agent.launch.outcome import Outcome
from ringscope_agent.shim.controller import ShimController
from ringscope_agent.shim.messages import Status
from ringscope_agent.shim.node_context import NodeContext
from ringscope_agent.shim.records import Records
from ringscope_agent.telemetry import pulses
from ringscope_agent.telemetry.delivery import Delivery

logger = logging.getLogger(__name__)

Event = Literal["ready", "refused", "proxies", "running", "stalled", "evidence", "ended", "unclean", "clean"]

RETRY_KILL_SECONDS = 2.0
UNASKED_GRACE_SECONDS = 2.0
# A batch system ends ranks and agents at the same moment: that ranks die is no news before it is known why.
ALLOCATION_END_SECONDS = 0.5
# What another node gets to tell first that knows better how it came: ranks end on all of them within milliseconds.
BETTER_WORD_SECONDS = 1.0
# What this node gets to tell how its own ranks ended, when the server has heard another node and says stop.
LAST_WORD_SECONDS = 1.0
# What the ranks of an elastic job get to start before PyTorch is loaded for the next attempt.
LOAD_AFTER_SECONDS = 3.0


class Attempt:
    """Follows the server's assignment (``update``) and reports the attempt's progress.

    The order of events is fixed (ready, proxies, running, ended, clean), and what is desired only moves forward
    (prepare, launch, stop), so the life of an attempt is one coroutine (``run``). The ranks are the shim's; an
    attempt of an earlier life of the agent finds its shim again and goes on.

    Args:
        obstacle: why this node cannot take the attempt; empty when it can.
    """

    def __init__(self, context: NodeContext, folder: AttemptFolder, obstacle: Callable[[], str]) -> None:
        self._context = context
        self._assignment = folder.state.assignment
        self._folder = folder
        self._obstacle = obstacle
        self.records = Records(self._assignment, folder.path, context.exporter)
        self._delivery = Delivery(
            context.client,
            self._assignment.attempt_id,
            self.records.spool,
            lambda lost: context.exporter.count_dropped("refused", lost),
        )
        self._belonging = folder.belonging(context.settings.data_dir)
        self._shim = ShimController(
            context, folder, self._belonging, self.records, self._delivery.notice_records, self._tell
        )
        self._reported: set[Event] = set()
        self._unreachable: list[str] = []
        self._gpu_watch: JobWatch | None = None
        self._may_use_gpus = may_use_gpus(self._assignment.spec)
        self._seen: set[int] = set()  # its processes that may hold a GPU
        self._wants_evidence = False
        self._stop_wanted = asyncio.Event()
        self._interrupted = asyncio.Event()
        self._refusal = ""
        self.update(self._assignment)

    @property
    def slots(self) -> int:
        """The slots of this node that the attempt holds until it is clean."""
        return self._assignment.gang[self._assignment.member].slots

    @property
    def is_elastic(self) -> bool:
        """Return whether its job continues at once if it loses a rank."""
        return self._assignment.spec.placement.min_ranks is not None

    @property
    def token(self) -> str:
        """The token that every process of the attempt carries."""
        return self._assignment.token

    @property
    def node(self) -> str:
        """The name of this node."""
        return self._context.settings.name

    @property
    def _has_lifetime(self) -> bool:
        return self._context.settings.leaves_at is not None

    @property
    def said_clean(self) -> bool:
        """Return whether the server knows, or is being told, that nothing is left here."""
        return "clean" in self._reported

    def update(self, assignment: Assignment) -> None:
        """Take the server's latest assignment; repeating it changes nothing."""
        self._shim.want(launch=assignment.desired in ("launch", "stop"), proxy=assignment.proxy)
        self._wants_evidence = assignment.take_evidence
        if assignment.desired == "stop":
            self._stop_wanted.set()

    def interrupt(self) -> None:
        """End the ranks now and report it, without waiting for the server, because the agent is being stopped."""
        self._interrupted.set()

    def dismiss(self, refusal: str) -> None:
        """End the ranks now, report it and that nothing is left: the server tells this agent nothing any more."""
        self._refusal = refusal
        self.interrupt()

    async def run(self) -> None:
        """Run until the server knows that the node is clean."""
        delivery = asyncio.create_task(self._delivery.run())
        client, number = self._context.client, self._assignment.attempt_id
        pulse = asyncio.create_task(pulses.send(client, number, self.records.pids, self._folder))
        try:
            await self._shim.find()
            await self._work_until_told()
            if not self._refusal:
                await self._stop_wanted.wait()
            await self._take_evidence()
            await self._clean_up()
            await self._delivery.flush_records()
            self._report("clean", last_sequence=self.records.spool.acknowledged)
            await self._delivery.flush_reports()
        except asyncio.CancelledError:
            # The server has forgotten the attempt, or the agent ends without it.
            await self._end_processes()
            await self._close()
            raise
        finally:
            if self._gpu_watch is not None:
                await self._context.gpus.leave(self._gpu_watch)
            for task in (delivery, pulse):
                task.cancel()
            await asyncio.gather(delivery, pulse, return_exceptions=True)

    async def _work_until_told(self) -> None:
        """Do the attempt's work until it is over or until the server, or the end of the agent, stops it."""
        work = asyncio.create_task(self._work())
        signals = [asyncio.create_task(event.wait()) for event in (self._stop_wanted, self._interrupted)]
        try:
            await asyncio.wait({work, *signals}, return_when=asyncio.FIRST_COMPLETED)
            if self._stop_wanted.is_set() and self._shim.has_lost_ranks:
                await asyncio.wait({work}, timeout=LAST_WORD_SECONDS)
            if not work.done() and not self._stop_wanted.is_set():
                self._ended(Outcome("agent_restarted", self._why_stopped()))
        finally:
            for task in (work, *signals):
                task.cancel()
            await asyncio.gather(work, *signals, return_exceptions=True)
        if not self._stop_wanted.is_set():
            await self._end_processes()

    def _why_stopped(self) -> str:
        if self._refusal:
            return f"The server refuses the agent of node {self.node}. {self._refusal}"
        return f"The agent of node {self.node} was stopped" + (": its allocation ended." if self._has_lifetime else ".")

    async def _work(self) -> None:
        if self._stop_wanted.is_set():
            return
        try:
            if not self._shim.has_begun:
                if obstacle := self._obstacle():
                    self._report("refused", message=obstacle)
                    return
                if self._assignment.spec.measured_pairs is not None:
                    self._unreachable = await reach.unreachable(self._assignment.gang, self._assignment.member)
                if self._may_use_gpus and self._context.client.has_gpus:
                    self._gpu_watch = await self._context.gpus.begin()
                await self._shim.start()
            outcome = await self._with_gpus(await self._shim.follow())
        except OSError as error:
            outcome = Outcome("launch_failed", f"Node {self.node} cannot start the ranks: {error}.")
        except Exception as error:
            logger.exception("Attempt %d: a fault of the agent.", self._assignment.attempt_id)
            outcome = Outcome("launch_failed", f"The agent of node {self.node} failed: {error!r}.")
        if outcome.reason != "completed" and self._has_lifetime:
            await asyncio.sleep(ALLOCATION_END_SECONDS)  # cut short when the agent is being stopped
        if outcome.is_hearsay and len(self._assignment.gang) > 1:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(BETTER_WORD_SECONDS):
                    await self._stop_wanted.wait()
        self._ended(outcome)

    async def _with_gpus(self, outcome: Outcome) -> Outcome:
        """Add what happened to its GPUs to an outcome that reports the load."""
        if self._gpu_watch is None:
            return outcome
        troubles = await self._gpu_watch.end(self._shim.visible_gpus)
        return replace(outcome, load=outcome.load and outcome.load.model_copy(update={"gpus": troubles}))

    def _tell(self, status: Status) -> None:
        if status.is_listening:
            self._report_once("ready", unreachable=self._unreachable)
        if status.proxies:
            self._report_once("proxies", proxies=status.proxies)
        if status.is_running and "running" not in self._reported:
            self._report("running")
            self._prepare_next()
        if status.stall is not None:
            self._report_once("stalled", rank=status.stall.rank, message=status.stall.message)

    def _prepare_next(self) -> None:
        """Load PyTorch in advance for the next attempt of an elastic job, once these ranks have started."""
        if self.is_elastic:
            threads = str(cores_each(self._context.settings.slots))
            loop = asyncio.get_running_loop()
            loop.call_later(LOAD_AFTER_SECONDS, self._context.shims.prepare_loaded, threads)

    async def _take_evidence(self) -> None:
        """Take evidence of a hanging gang while its ranks are still alive."""
        if self._wants_evidence and self._folder.paths is not None:
            tokens = process_group.carriers()
            pids = {rank: pid for rank, pid in self.records.pids.items() if tokens.get(pid) == self.token}
            folder = self._folder.paths.kit.stacks
            found = await evidence.take(pids, folder)
            if self._assignment.spec.script is not None:
                found = await dumps.add(found, folder)
            self._report("evidence", evidence=found)

    async def _clean_up(self) -> None:
        """End every process; a node that cannot prove itself free never reports clean."""
        while left := await self._end_processes():
            await self._say_unclean(left)
        if doubt := self._doubt():
            self._report_once("unclean", message=doubt)
            await asyncio.Event().wait()  # until a person has released the slots, and the server forgets the attempt
        while left := await self._close():
            await self._say_unclean(left)

    async def _say_unclean(self, left: str) -> None:
        self._report_once("unclean", message=f"Node {self.node} cannot end these processes: {left}; end them by hand.")
        await asyncio.sleep(RETRY_KILL_SECONDS)

    def _doubt(self) -> str:
        """Return why processes may be left that the agent cannot find; empty if that is impossible.

        Only a script starts processes that do not carry the token.
        """
        is_proven = self._belonging.is_provable or self._shim.has_proven_its_end or not self._folder.may_have_processes
        script = self._assignment.spec.script
        if script is None or is_proven:
            return ""
        return (
            f"Node {self.node} cannot prove that nothing is left of the script {script.file}: its shim was killed "
            "while the agent was away, and the system offers no control group. End there what still runs of the "
            f"script, then release each of its slots: ringscope release-slot {self.node} SLOT."
        )

    async def _close(self) -> str:
        """Let the shim end; return a description of what cannot be ended."""
        if left := await self._shim.close():
            return left
        self._belonging.forget()
        process_group.reap_orphans()
        asyncio.get_running_loop().call_later(self._context.settings.metrics_linger_seconds, self.records.hide)
        return ""

    async def _end_processes(self) -> str:
        """End every process of the attempt; return a description of those that are left."""
        self._shim.announce_end()
        grace = self._assignment.grace_seconds
        if not self._stop_wanted.is_set():
            grace = min(grace, UNASKED_GRACE_SECONDS)
        if self._may_use_gpus:
            self._seen |= {process.pid for process in self._belonging.processes()}
        left = await self._belonging.end(grace)
        names = ", ".join(f"{process.pid} ({process.command[:60]})" for process in left)
        if self._may_use_gpus and not left:
            holders = await gpu_release.left_on_gpus(self._seen | {*self.records.pids.values()}, self.token)
            names = ", ".join(f"{holder.pid} (in the driver of GPU {holder.gpu})" for holder in holders)
        if names:
            logger.error("Attempt %d: processes that cannot be ended: %s.", self._assignment.attempt_id, names)
        return names

    def _ended(self, outcome: Outcome) -> None:
        self._report(
            "ended",
            reason=outcome.reason,
            message=outcome.message,
            rank=outcome.rank,
            exit_code=outcome.exit_code,
            is_hearsay=outcome.is_hearsay,
            load=outcome.load,
        )

    def _report_once(self, event: Event, **content: Any) -> None:
        if event not in self._reported:
            self._report(event, **content)

    def _report(self, event: Event, **content: Any) -> None:
        self._reported.add(event)
        logger.info("Attempt %d: %s %s", self._assignment.attempt_id, event, content.get("message", ""))
        self._delivery.report(Report(epoch=0, attempt_id=self._assignment.attempt_id, event=event, **content))
