"""``python -m ringscope_agent.shim.process``: supervises an attempt's ranks on this node across restarts of the agent.

The agent starts it in advance and gives it its task on standard input. It owns what must survive when the agent is
killed: the ranks' socket, the writing of the spool, mpiexec and the proxy. Only the agent talks to the server. If no
agent is there for too long, the shim ends its ranks, so that none outlives its attempt.
"""

import asyncio
import contextlib
import logging
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

from ringscope.contracts.protocol import Proxy
from ringscope.contracts.rank_process import STANDBY_VARIABLE
from ringscope.rank.load import LoadMeter
from ringscope_agent import process_group
from ringscope_agent.belonging import Belonging
from ringscope_agent.files import replace_text
from ringscope_agent.launch import launcher
from ringscope_agent.launch.node_run import NodeRun
from ringscope_agent.launch.outcome import Outcome
from ringscope_agent.launch.stalls import LOOK_SECONDS, StallWatch
from ringscope_agent.shim.intake import Intake
from ringscope_agent.shim.messages import LISTENING, MAX_TASK_BYTES, Status, Task, Wanted
from ringscope_agent.shim.server import ControlServer
from ringscope_agent.shim.standby import Standby
from ringscope_agent.shim.standby import start as start_standby

logger = logging.getLogger(__name__)

# The first member, or the server for it, ends a gang; another member does so only if both are silent.
PEER_END_SECONDS = 20.0
RETRY_KILL_SECONDS = 2.0
ALONE_GRACE_SECONDS = 2.0
# The server counts the node as lost after 15 s.
STOPPED_AGENT_SECONDS = 20.0


class Shim:
    """Carries out its task until the agent closes it, or is away for too long."""

    def __init__(self, task: Task, standby: Standby | None = None) -> None:
        self._task, self._standby = task, standby
        self._status = Status(answers=True)
        self._intake = Intake(task.assignment, task.paths, self._on_records, self._on_ranks)
        self._control = ControlServer(self._on_wanted, lambda: self._status)
        self._node_run: NodeRun | None = None
        self._belonging = Belonging(task.assignment.token, task.data_dir, task.paths.control_group)
        self._belonging.follow(os.getpid())
        self._launch_wanted = asyncio.Event()
        self._close_wanted = asyncio.Event()
        self._proxy: asyncio.Future[Proxy] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        """Run until no process of the attempt is left."""
        await self._control.start(self._task.paths.shim_socket)
        # The socket exists first, because an agent that finds no socket concludes that there is no shim.
        process_group.outlive_parent()
        process_group.become_subreaper()
        sys.stdout.buffer.write(LISTENING)
        sys.stdout.buffer.flush()
        work = asyncio.create_task(self._work())
        is_alone = not await self._wait_for_close()
        if is_alone:
            self._give_up()
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        if is_alone:
            await self._end_processes()
            self._status.nothing_left = True
        if self._node_run is not None:
            await self._node_run.close()
        await self._intake.close()
        self._save()
        self._tell()
        await self._control.close()
        process_group.reap_orphans()

    async def _wait_for_close(self) -> bool:
        """Wait until the agent closes this shim; return False if the agent is away for too long."""
        closing = asyncio.create_task(self._close_wanted.wait())
        try:
            while not closing.done():
                left = self._away_seconds - self._control.alone_seconds
                if left <= 0:
                    return False
                await asyncio.wait({closing}, timeout=min(left, LOOK_SECONDS))
            return True
        finally:
            closing.cancel()

    @property
    def _away_seconds(self) -> float:
        """Seconds without an agent that can act; a stopped agent may be resumed at any time, so it gets more."""
        most = self._task.away_seconds
        return max(most, STOPPED_AGENT_SECONDS) if self._control.agent_pids else most

    async def _work(self) -> None:
        try:
            await self._intake.start()
            self._status.is_listening = True
            self._tell()
            await self._launch_wanted.wait()
            outcome = await self._launch()
        except OSError as error:
            outcome = Outcome("launch_failed", f"Node {self._task.node} cannot start the ranks: {error}.")
        except Exception as error:
            logger.exception("Attempt %d: a fault of the shim.", self._task.assignment.attempt_id)
            outcome = Outcome("launch_failed", f"The shim of node {self._task.node} failed: {error!r}.")
        self._end_with(outcome)

    async def _launch(self) -> Outcome:
        task = self._task
        environment = launcher.rank_environment(
            os.environ,
            Path(sys.executable).parent,
            task.data_dir,
            task.assignment.token,
            task.paths,
            task.fault,
            task.variables | self._intake.environment,
            task.assignment.spec.env,
        )
        self._node_run = NodeRun(
            task.assignment,
            task.programs,
            environment,
            task.rank_module,
            self._belonging,
            self._intake.board,
            on_log=self._intake.log,
            on_proxies=self._on_proxies,
            drain=self._intake.drain,
        )
        # A process that has loaded PyTorch already would not notice the job's own variables.
        is_usual = not task.assignment.spec.env
        if self._standby is not None and is_usual and self._node_run.adopt(self._standby.pid):
            environment[STANDBY_VARIABLE] = self._standby.name
        watch, meter = asyncio.create_task(self._watch_ranks()), LoadMeter()
        try:
            outcome = await self._node_run.run(self._proxy)
        finally:
            watch.cancel()
        load = meter.read()
        if outcome is None:
            await asyncio.sleep(PEER_END_SECONDS)
            sentence = f"The launcher proxy on node {task.node} lost the rest of its gang."
            outcome = Outcome("rank_exit", sentence, is_hearsay=True)
        return replace(outcome, load=load)

    async def _watch_ranks(self) -> None:
        """Watch the ranks until one stands still."""
        assert self._node_run is not None
        watch, loop = StallWatch(self._task.node), asyncio.get_running_loop()
        while self._status.stall is None:
            await asyncio.sleep(LOOK_SECONDS)
            pids = self._node_run.waited_for_pids
            states = {rank: process_group.standstill_of(pid) for rank, pid in pids.items()}
            self._status.stall = watch.look(states, pids, loop.time())
        self._tell()

    def _give_up(self) -> None:
        logger.warning("Attempt %d: no agent is there; ending.", self._task.assignment.attempt_id)
        if self._launch_wanted.is_set() and self._status.outcome is None:
            away = f"Node {self._task.node} was without its agent for {self._away_seconds:g} s"
            if why := self._control.why_alone(self._away_seconds):
                away = f"The agent of node {self._task.node} {why}"
            self._intake.say(f"{away}, so its ranks are ended.")
            self._end_with(Outcome("agent_restarted", f"{away}, so its ranks were ended."))

    async def _end_processes(self) -> None:
        while await self._belonging.end(ALONE_GRACE_SECONDS):  # noqa: ASYNC110 - tries again
            await asyncio.sleep(RETRY_KILL_SECONDS)

    def _end_with(self, outcome: Outcome) -> None:
        self._status.outcome = outcome
        self._save()
        self._tell()

    def _save(self) -> None:
        with contextlib.suppress(OSError):  # on a full disk only a connected agent can get it
            replace_text(self._task.paths.status, self._status.model_dump_json())

    def _tell(self) -> None:
        self._status.dropped_records = dict(self._intake.dropped_records)
        self._control.tell()

    def _on_wanted(self, wanted: Wanted) -> None:
        if wanted.launch:
            self._launch_wanted.set()
        if wanted.proxy is not None and not self._proxy.done():
            self._proxy.set_result(wanted.proxy)
        if wanted.ending and self._node_run is not None:
            self._node_run.notice_end()
        if wanted.close:
            self._close_wanted.set()

    def _on_proxies(self, proxies: list[Proxy]) -> None:
        self._status.proxies = proxies
        self._tell()

    def _on_records(self) -> None:
        self._control.nudge()

    def _on_ranks(self) -> None:
        board = self._intake.board
        self._status.is_running = self._status.is_running or board.all_started
        self._status.lost_ranks = list(board.lost)
        self._tell()
        if board.has_trouble and self._node_run is not None:
            self._node_run.notice_trouble()


def main() -> int:
    """Wait for a task on standard input and carry it out; without a task there is nothing to do."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    # The threads of a rank, for the process that loads PyTorch in advance; without an argument none does.
    standby = start_standby(sys.argv[1]) if len(sys.argv) > 1 else None
    line = sys.stdin.buffer.readline(MAX_TASK_BYTES)
    if line.endswith(b"\n"):
        asyncio.run(_supervise(Task.model_validate_json(line), standby))
        logging.shutdown()
        os._exit(0)  # the agent waits for the end of this process, and Python takes its time to tidy up
    return 0


async def _supervise(task: Task, standby: Standby | None) -> None:
    await Shim(task, standby).run()


if __name__ == "__main__":
    sys.exit(main())
