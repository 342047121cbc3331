"""Evidence: what the ranks of a hanging gang are doing, taken before any of them is ended.

py-spy, where it is installed, looks into a rank from outside, also into one that is stopped. It may lack the right to,
or be missing; then the rank is asked by a signal to write its stack itself (see ``ringscope.rank.stacks``). One that is
stopped can only answer once it is let go on, which is done last: the gang is to be ended in any case.
"""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

from ringscope.contracts.protocol import MAX_STACK_CHARACTERS, RankEvidence
from ringscope.rank import stacks
from ringscope_agent import process_group

SPY_SECONDS = 3.0
ANSWER_SECONDS = 1.0
POLL_SECONDS = 0.02
_AT_ONCE = 8


async def take(pids: Mapping[int, int], folder: Path) -> list[RankEvidence]:
    """Take the evidence of each of these ranks; ``folder`` is where ranks write their stacks."""
    states = {rank: process_group.standstill_of(pid) for rank, pid in sorted(pids.items())}
    spying = _Spying()
    found: dict[int, RankEvidence] = {}
    for is_stopped in (False, True):
        ranks = [rank for rank, state in states.items() if (state in ("T", "t", "F")) == is_stopped]
        taken = await asyncio.gather(*(_take_one(rank, pids[rank], states[rank], folder, spying) for rank in ranks))
        found.update({evidence.rank: evidence for evidence in taken})
    return [found[rank] for rank in sorted(found)]


async def _take_one(rank: int, pid: int, state: str, folder: Path, spying: "_Spying") -> RankEvidence:
    if stack := await spying.stack(pid):
        return RankEvidence(rank=rank, state=state, source="py-spy", stack=_short(stack))
    if stack := await _asked(pid, stacks.file_of(folder, rank)):
        return RankEvidence(rank=rank, state=state, source="faulthandler", stack=_short(stack))
    silence = "It has ended." if not state else f"It gave no answer (state {state})."
    return RankEvidence(rank=rank, state=state, source="", stack=silence)


def spy_program() -> str | None:
    """Return py-spy beside this Python, else on PATH; None if it is not installed."""
    beside = Path(sys.executable).with_name("py-spy")
    return str(beside) if os.access(beside, os.X_OK) else shutil.which("py-spy")


class _Spying:
    """Runs py-spy on some ranks at once, within a time limit for all of them, because the gang's slots wait for it."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(_AT_ONCE)
        self._deadline = asyncio.get_running_loop().time() + SPY_SECONDS

    async def stack(self, pid: int) -> str:
        """Return the stack that py-spy sees; empty if it is missing, is not allowed to look, or takes too long."""
        if (spy := spy_program()) is None:
            return ""
        async with self._free:
            left = self._deadline - asyncio.get_running_loop().time()
            return await _spied(spy, pid, left) if left > 0 else ""


async def _spied(spy: str, pid: int, seconds: float) -> str:
    with process_group.starting():
        process = await asyncio.create_subprocess_exec(
            *(spy, "dump", "--nonblocking", "--pid", str(pid)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        process_group.manage(process.pid)
    try:
        async with asyncio.timeout(seconds):
            output, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        return ""
    finally:
        process_group.release(process.pid)
    return output.decode(errors="replace") if process.returncode == 0 else ""


async def _asked(pid: int, path: Path) -> str:
    """Return the stack that the rank writes on request; empty if it cannot be asked or does not answer in time."""
    try:
        before = len(_written(path))
        os.kill(pid, stacks.SIGNAL)
        os.kill(pid, signal.SIGCONT)  # does nothing to a rank that runs
    except OSError:  # it has ended, or could not be asked yet
        return ""
    loop = asyncio.get_running_loop()
    deadline, answer, earlier = loop.time() + ANSWER_SECONDS, b"", b""
    while loop.time() < deadline and not (answer and answer == earlier):  # written in less time than a poll takes
        await asyncio.sleep(POLL_SECONDS)
        answer, earlier = _written(path)[before:], answer
    return answer.decode(errors="replace")


def _written(path: Path) -> bytes:
    return path.read_bytes()


def _short(stack: str) -> str:
    if len(stack) <= MAX_STACK_CHARACTERS:
        return stack
    mark = "\n…\n"
    half = (MAX_STACK_CHARACTERS - len(mark)) // 2
    return f"{stack[:half]}{mark}{stack[-half:]}"
