"""One node's part of a gang while it runs: mpiexec on the first node, and this node's proxy with its ranks."""

import asyncio
import contextlib
import subprocess
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Literal

from ringscope.contracts.protocol import Assignment, Proxy
from ringscope.contracts.rank_process import POSITIONS_VARIABLE
from ringscope.contracts.record import Log
from ringscope.engine import positions
from ringscope.rank.load import crowding
from ringscope_agent import process_group
from ringscope_agent.belonging import Belonging
from ringscope_agent.launch import hydra, launcher
from ringscope_agent.launch.launcher_watch import LauncherWatch
from ringscope_agent.launch.outcome import Evidence, Outcome, RankBoard, decide
from ringscope_agent.launch.output import Output
from ringscope_agent.launch.programs import MpiPrograms
from ringscope_agent.launch.stopped import LOOK_SECONDS

MPIEXEC, PROXY = "mpiexec", "hydra_pmi_proxy"
# The time that Hydra gets to notice by itself that a rank is gone, which gives a better exit code.
TROUBLE_GRACE_SECONDS = 2.0
# A proxy starts its ranks in one go: after so long without another one all are there, or one has gone already. On a
# busy node it takes as many times as long as there are processes for each core.
STARTUP_SECONDS = 3.0
STARTUP_POLL_SECONDS = 0.2
# Once the ranks of the first node have ended: what those of the other nodes get, so that mpiexec can tell how they did.
PEERS_SECONDS = 30.0
CLOSE_DEADLINE_SECONDS = 5.0


class NodeRun:
    """Runs the commands and reads their output.

    Args:
        environment: of mpiexec, the proxy and therefore the ranks.
        belonging: finds whatever they start.
        board: filled by the listener, read here.
        on_log: takes each line of output.
        on_proxies: takes one Proxy per gang member, once mpiexec listens.
        drain: waits until the board holds what the ranks had sent.
    """

    def __init__(
        self,
        assignment: Assignment,
        programs: MpiPrograms,
        environment: Mapping[str, str],
        rank_module: str,
        belonging: Belonging,
        board: RankBoard,
        on_log: Callable[[Log], None],
        on_proxies: Callable[[list[Proxy]], None],
        drain: Callable[[], Awaitable[None]],
    ) -> None:
        self._assignment = assignment
        self._programs = programs
        self._environment = environment
        self._rank_module = rank_module
        self._belonging = belonging
        self._group = belonging.open_group()
        self._board = board
        self._watch = LauncherWatch(board, is_alone=len(assignment.gang) == 1)
        self._on_log = on_log
        self._on_proxies = on_proxies
        self._drain = drain
        self._exits = hydra.ExitReport(assignment.gang)
        self._proxies: list[Proxy] = []
        self._hydra_hung = False
        self._is_ended_by_us = False
        self._banner: list[Log] = []
        self._listening = asyncio.Event()
        self._trouble = asyncio.Event()
        self._ranks_are_over = asyncio.Event()
        self._last_words: dict[int | None, str] = {}
        self._pumps: list[asyncio.Task[None]] = []
        self._exits_pending: list[asyncio.Task[int]] = []
        self._launchers: dict[str, int] = {}  # their pids

    @property
    def node(self) -> str:
        """The name of this node."""
        return self._assignment.gang[self._assignment.member].node

    @property
    def waited_for_pids(self) -> dict[int, int]:
        """The pids, by rank, of the ranks for which other ranks may have to wait."""
        return self._board.live_pids | self._watch.lingering_pids

    def adopt(self, pid: int) -> bool:
        """Move a process that will start ranks into their control group; return False if the system forbids it."""
        try:
            if self._group is not None:
                self._group.add(pid)
        except OSError:
            return False
        return True

    def notice_trouble(self) -> None:
        """Note that the board shows a failed or lost rank: the end is near even if Hydra hangs."""
        self._trouble.set()

    async def run(self, proxy: Awaitable[Proxy]) -> Outcome | None:
        """Run until this node's part has ended; return None if only the end of another node's part caused it.

        ``proxy`` is what the server passes on from the first member. Raises OSError.
        """
        running = asyncio.create_task(self._run(proxy))
        watching = asyncio.create_task(self._watch_launchers())
        try:
            await asyncio.wait({running, watching}, return_when=asyncio.FIRST_COMPLETED)
            return running.result() if running.done() else watching.result()
        finally:
            for task in (running, watching):
                task.cancel()
            await asyncio.gather(running, watching, return_exceptions=True)

    async def _run(self, proxy: Awaitable[Proxy]) -> Outcome | None:
        oom_kills = _oom_kills()
        mpiexec_exit: asyncio.Task[int] | None = None
        if self._assignment.member == 0:
            mpiexec_exit = await self._start(
                MPIEXEC,
                launcher.mpiexec_command(
                    self._programs.mpiexec,
                    self._assignment.gang,
                    self._assignment.ranks,
                    self._rank_module,
                ),
            )
            if (failed := await self._announce(mpiexec_exit)) is not None:
                return failed
        proxy_exit = await self._start(PROXY, launcher.proxy_command(self._programs.proxy, await proxy))
        watch = asyncio.create_task(self._watch_startup(self._launchers[PROXY]))
        try:
            await self._wait_for_end(mpiexec_exit, proxy_exit)
        finally:
            watch.cancel()
        await self._settle()
        proxy_code = _code(proxy_exit)
        was_killed = proxy_code is not None and proxy_code < 0
        if mpiexec_exit is None and not was_killed and not self._board.has_trouble and not self._board.checks:
            return Outcome("completed") if self._board.all_done else None
        exit_code = None if mpiexec_exit is None else _code(mpiexec_exit)
        return decide(self._evidence(exit_code, proxy_code, _oom_kills() > oom_kills))

    def notice_end(self) -> None:
        """Note that the service is about to end the ranks, so that Hydra's message about a faulty program is false."""
        if not self._is_ended_by_us:
            self._is_ended_by_us = True
            text = "The service ends the ranks (SIGTERM, and after a while SIGKILL)."
            self._on_log(Log(rank=None, stream="agent", time_ns=time.time_ns(), text=text))

    async def close(self) -> None:
        """Collect the processes, which must have been ended before, and the rest of their output."""
        tasks: list[asyncio.Task[int] | asyncio.Task[None]] = [*self._exits_pending, *self._pumps]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=CLOSE_DEADLINE_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        self._pass_on_banner()

    async def _start(self, name: str, command: list[str]) -> asyncio.Task[int]:
        try:
            process = await launcher.spawn(command, self._environment, self._group)
        except subprocess.SubprocessError:
            if self._group is None:
                raise
            self._belonging.drop_group(self._group)
            self._group = None
            process = await launcher.spawn(command, self._environment, None)
        assert process.stdout is not None and process.stderr is not None
        self._pumps += [
            asyncio.create_task(Output("stdout", self._on_log, partial(self._hear, "stdout")).read(process.stdout)),
            asyncio.create_task(Output("stderr", self._on_log, self._hear_error).read(process.stderr)),
        ]
        exited = asyncio.create_task(launcher.wait_for_exit(process))
        self._exits_pending.append(exited)
        self._launchers[name] = process.pid
        return exited

    async def _announce(self, mpiexec_exit: asyncio.Task[int]) -> Outcome | None:
        """Pass mpiexec's numbers to the server, whose start limit bounds the wait; without any return an Outcome."""
        listening = asyncio.create_task(self._listening.wait())
        await asyncio.wait(
            {listening, mpiexec_exit},
            return_when=asyncio.FIRST_COMPLETED,
        )
        listening.cancel()
        if not self._listening.is_set():
            code = _code(mpiexec_exit)
            await self._settle()
            return decide(self._evidence(code))
        wanted = len(self._assignment.gang)
        if len(self._proxies) != wanted:
            return Outcome(
                "launch_failed",
                f"mpiexec on node {self.node} wants {len(self._proxies)} proxies for {wanted} nodes; "
                "see the job's log for what it printed.",
            )
        self._on_proxies(sorted(self._proxies, key=lambda proxy: proxy.proxy_id))
        return None

    async def _wait_for_end(self, mpiexec_exit: asyncio.Task[int] | None, proxy_exit: asyncio.Task[int]) -> None:
        """Wait until the launcher has ended, or should have because a rank is lost, or all ranks have ended."""
        main = mpiexec_exit or proxy_exit
        trouble, over = asyncio.create_task(self._trouble.wait()), asyncio.create_task(self._ranks_are_over.wait())
        if main is not proxy_exit:
            # A proxy that cannot reach its mpiexec leaves it waiting for ever.
            proxy_exit.add_done_callback(self._judge_proxy)
        try:
            await asyncio.wait({main, trouble, over}, return_when=asyncio.FIRST_COMPLETED)
            if not main.done() and over.done():
                await self._end_what_is_left(main)
                return
            if not main.done():
                await asyncio.wait({main}, timeout=TROUBLE_GRACE_SECONDS)
            if not main.done():
                # Once no rank is left Hydra ends as well and reports how the first one ended.
                self._hydra_hung = True
                self._belonging.kill_now(spare=self._launchers.values())
                await asyncio.wait({main}, timeout=TROUBLE_GRACE_SECONDS)
        finally:
            trouble.cancel()
            over.cancel()

    async def _end_what_is_left(self, main: asyncio.Task[int]) -> None:
        """End what keeps Hydra from ending, without a wait: every rank of this node was done and has ended, or is
        stopped.
        """
        self._hydra_hung = True
        if (stopped := self._watch.stopped_done) is not None:
            self._say(f"{stopped.sentence(self.node)}; as all ranks of this node are done, it is not waited for.")
        if left := self._belonging.kill_now(spare=self._launchers.values()):
            names = ", ".join(f"{process.pid} ({process.command[:60]})" for process in left)
            self._say(f"All ranks of node {self.node} are done; what they left running was ended, too: {names}.")
        is_waited_for = self._assignment.member == 0 and len(self._assignment.gang) > 1
        deadline = time.monotonic() + (PEERS_SECONDS if is_waited_for else TROUBLE_GRACE_SECONDS)
        while not main.done() and self._watch.stopped is None and time.monotonic() < deadline:
            await asyncio.wait({main}, timeout=LOOK_SECONDS)
        if not main.done() and (stopped := self._watch.stopped) is not None:
            self._say(f"{stopped.sentence(self.node)}; as all ranks of this node are done, it is not waited for.")

    async def _watch_launchers(self) -> Outcome:
        """Wait until a launcher is stopped while ranks need it, or a rank is stopped that has not started yet."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self._watch.look(self._launchers, self._launchers.get(PROXY), loop.time())
            if (stopped := self._watch.stopped_rank) is not None:
                return Outcome("launch_failed", f"{stopped.sentence(self.node)}, before it had started.")
            if self._watch.ranks_are_over:
                self._ranks_are_over.set()
            elif (stopped := self._watch.stopped) is not None:
                sentence = f"{stopped.sentence(self.node)}, and no rank can start or end without it."
                return Outcome("launcher_lost", sentence)

    def _say(self, text: str) -> None:
        """Put a line of the agent's own into the job's log."""
        self._on_log(Log(rank=None, stream="agent", time_ns=time.time_ns(), text=text))

    async def _watch_startup(self, proxy_pid: int) -> None:
        """Watch for a rank that ends before MPI is up: Hydra ignores it, while its peers wait for it for ever."""
        loop = asyncio.get_running_loop()
        slots = len(self._board.ranks)
        most, last_seen = 0, loop.time()
        while not self._board.all_started:
            children = len(process_group.children_of(proxy_pid))
            if children > most or not children:
                most, last_seen = max(most, children), loop.time()
            patience_seconds = STARTUP_SECONDS * (1.0 if children < most else crowding())
            if most and children < slots and loop.time() > last_seen + patience_seconds:
                self._trouble.set()
                return
            await asyncio.sleep(STARTUP_POLL_SECONDS)

    def _judge_proxy(self, proxy_exit: asyncio.Task[int]) -> None:
        if not proxy_exit.cancelled() and proxy_exit.result() != 0:
            self._trouble.set()

    async def _settle(self) -> None:
        """Wait until the last output and records of what has ended were read."""
        await self._drain()
        if self._pumps:
            await asyncio.wait(self._pumps, timeout=1.0)
        self._pass_on_banner()

    def _pass_on_banner(self) -> None:
        """Log Hydra's message about a program that a signal has ended, unless the service sent the signal."""
        banner, self._banner = self._banner, []
        for line in banner if not self._is_ended_by_us else []:
            self._on_log(line)

    def _evidence(
        self, exit_code: int | None, proxy_code: int | None = None, killed_for_memory: bool = False
    ) -> Evidence:
        return Evidence(
            self.node,
            self._assignment.gang,
            self._board,
            self._exits,
            exit_code,
            self._last_words,
            positions.steps(Path(self._environment[POSITIONS_VARIABLE])),
            self._hydra_hung,
            killed_for_memory,
            proxy_code,
            " of an operation" if self._assignment.spec.benchmark else " of a sum over the ranks",
        )

    def _hear(self, stream: Literal["stdout", "stderr"], rank: int | None, text: str) -> bool:
        """Take in a line of output; return whether it is kept out of the log, at least for now."""
        if rank is not None:
            return False
        if self._is_launch_line(text) or hydra.is_proxy_complaint(text):
            return True
        self._exits.read(text)
        if not hydra.is_banner(text):
            return False
        # The banner waits until it is known who ended the ranks.
        self._banner.append(Log(rank=None, stream=stream, time_ns=time.time_ns(), text=text))
        return True

    def _hear_error(self, rank: int | None, text: str) -> bool:
        if self._hear("stderr", rank, text):
            return True
        if hydra.is_abort(text) and self._last_words.get(rank, "").startswith(f"rank {rank}: "):
            return True
        self._last_words[rank] = text.strip()
        return False

    def _is_launch_line(self, text: str) -> bool:
        if text.strip() == hydra.LAUNCH_END:
            self._listening.set()
            return True
        proxy = hydra.parse_launch_line(text)
        if proxy is not None:
            self._proxies.append(proxy)
        return proxy is not None


def _code(exited: asyncio.Task[int]) -> int | None:
    """Return the exit code, or minus the signal; None while the process runs."""
    return exited.result() if exited.done() else None


def _oom_kills() -> int:
    """Return how often the kernel's out-of-memory killer has struck on this machine since boot."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0
