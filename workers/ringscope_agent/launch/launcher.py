"""The only two commands that a shim runs, mpiexec and hydra_pmi_proxy, and the environment of the ranks.

Only addresses and numbers in them come from the server.
"""

import asyncio
import contextlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from ringscope.contracts.protocol import GangMember, Proxy
from ringscope.contracts.rank_process import FAULT_VARIABLE, THREADS_VARIABLE, TOKEN_VARIABLE
from ringscope.rank.foreign import without_foreign
from ringscope_agent import process_group
from ringscope_agent.control_group import ControlGroup
from ringscope_agent.launch import hydra
from ringscope_agent.paths import AttemptPaths

PIPE_BYTES = 1 << 20
_COLLECT_SECONDS = 0.005


def mpiexec_command(mpiexec: Path, gang: Sequence[GangMember], ranks: int, rank_module: str) -> list[str]:
    """Return mpiexec for the whole gang, which prints the arguments of each node's proxy and then waits for the
    proxies.

    Without ``-genvnone`` Hydra would give every rank the environment of the first node; so each proxy's own one
    counts, with the socket, the spec file and the Python of its node (found as python3 on the proxy's PATH).
    """
    hosts = ",".join(f"{name}:{member.slots}" for name, member in zip(hydra.host_names(gang), gang, strict=True))
    return [
        str(mpiexec),
        *("-launcher", "manual", "-rmk", "user", "-localhost", gang[0].address, "-hosts", hosts),
        *("-genvnone", "-prepend-pattern", hydra.PREPEND_PATTERN, "-print-all-exitcodes"),
        *("-n", str(ranks), "python3", "-m", rank_module),
    ]


def proxy_command(program: Path, proxy: Proxy) -> list[str]:
    """Return hydra_pmi_proxy as Hydra's own launchers would start it on this node."""
    return [
        str(program),
        *("--control-port", f"{proxy.control_host}:{proxy.control_port}"),
        *("--rmk", "user", "--launcher", "manual", "--demux", "poll", "--pgid", "0", "--retries", "10"),
        *("--usize", "-1", "--pmi-port", "0", "--gpus-per-proc", "-2", "--gpu-subdevs-per-proc", "-2"),
        *("--proxy-id", str(proxy.proxy_id)),
    ]


def rank_environment(
    inherited: Mapping[str, str],
    python_folder: Path,
    home: Path,
    token: str,
    paths: AttemptPaths,
    fault: str | None,
    variables: Mapping[str, str],
    asked: Mapping[str, str],
) -> dict[str, str]:
    """Return a rank's environment: the agent's without what is the agent's own, plus the job's and the attempt's.

    Everything that is named after Ringscope belongs to the agent, its token first of all; what belongs to a batch
    system or to another MPI would lead Hydra and the ranks astray.
    ``variables`` are those of the job's kind, see ``Task``. ``asked`` are those of the job itself, which decide over
    the number of threads, but over no other variable of the attempt.
    """
    kept = inherited_environment(inherited) | dict(asked)
    threads = asked.get(THREADS_VARIABLE, variables.get(THREADS_VARIABLE, "1"))
    attempt = {
        "PATH": f"{python_folder}{os.pathsep}{kept.get('PATH', os.defpath)}",
        "PYTHONUNBUFFERED": "1",
        process_group.HOME_VARIABLE: str(home),
        TOKEN_VARIABLE: token,
    }
    kit = paths.kit.variables(paths.ranks_socket)
    own = attempt | kit | dict(variables) | {THREADS_VARIABLE: threads}
    return kept | own | ({FAULT_VARIABLE: fault} if fault else {})


def inherited_environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the agent's environment without its own variables and those of a batch system."""
    return {name: value for name, value in without_foreign(inherited).items() if not name.startswith("RINGSCOPE_")}


async def spawn(
    command: Sequence[str], environment: Mapping[str, str], group: ControlGroup | None
) -> asyncio.subprocess.Process:
    """Start one of the commands, in this control group if it is given; it dies with this shim.

    Call it from the main thread (see ``dies_with``). Raises SubprocessError if the group cannot be entered.
    """
    dies_with_shim = process_group.dies_with(os.getpid())

    def prepare() -> None:
        dies_with_shim()
        if group is not None:
            group.enter()

    with process_group.starting():
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=PIPE_BYTES,
            env=environment,
            cwd="/",  # Hydra takes it to every node, so it must exist on all
            start_new_session=True,  # each is ended by itself
            preexec_fn=prepare,
        )
        process_group.manage(process.pid)
    return process


async def wait_for_exit(process: asyncio.subprocess.Process) -> int:
    """Return the exit code, or minus the signal, as soon as the process has ended.

    ``Process.wait`` would also wait until its pipes are closed, and its descendants may hold them open.
    """
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    try:
        with contextlib.suppress(ProcessLookupError):  # its exit code was collected already
            descriptor = os.pidfd_open(process.pid)
            loop.add_reader(descriptor, ended.set)
            try:
                await ended.wait()
            finally:
                loop.remove_reader(descriptor)
                os.close(descriptor)
        while process.returncode is None:  # noqa: ASYNC110 - a thread of asyncio's is about to tell it
            await asyncio.sleep(_COLLECT_SECONDS)
        return process.returncode
    finally:
        if process.returncode is not None:
            process_group.release(process.pid)
