"""The same DistributedDataParallel script under torchrun and under `ringscope run`, in turns, on two gloo ranks.

    python -m benchmarks.training.launchers [ROUNDS] [--json FILE]

All gangs stay alive, and while one runs the others are stopped, so that a change of the machine's speed hits all alike.
A turn takes a second. A step counts that began and ended, on both ranks, inside of its gang's turn; its time is that of
the slower rank. What is printed is the median step of each turn, over all rounds, and its ratio to torchrun's turn of
the same round. The CPU time is that of the main thread of rank 0.

    torchrun     PyTorch's launcher
    run          `ringscope run`, which watches steps and collectives
    no-watch     `ringscope run --no-watch`
    hook         `ringscope run`, with ringscope.ddp_hook instead of gloo's sum; it has no target
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from struct import iter_unpack

import psutil
from benchmarks.command import Parser, count, exit_with
from benchmarks.report import Conditions, Target, judged, say, watched

from ringscope.contracts.errors import UserError

RANKS, TURN_SECONDS, START_SECONDS, WARM_STEPS = 2, 1.0, 120.0, 20
SCRIPT = Path(__file__).with_name("ddp_script.py")
TARGET = 1.01
_TOOLS = Path(sys.executable).parent
COMMANDS = {
    "torchrun": [str(_TOOLS / "torchrun"), "--standalone", "--nproc-per-node", str(RANKS)],
    "run": [str(_TOOLS / "ringscope"), "run", "--ranks", str(RANKS)],
    "no-watch": [str(_TOOLS / "ringscope"), "run", "--no-watch", "--ranks", str(RANKS)],
    "hook": [str(_TOOLS / "ringscope"), "run", "--ranks", str(RANKS)],
}


@dataclass
class Turns:
    """The median step of each turn, in ms."""

    wall_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)


class Gang:
    """The ranks of one launcher."""

    def __init__(self, name: str, folder: Path) -> None:
        self._folder = folder
        words = [*COMMANDS[name], str(SCRIPT), str(folder), *(["--hook"] if name == "hook" else [])]
        self._log = (folder / "log").open("wb")
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            words, stdout=self._log, stderr=self._log, env=environment, start_new_session=True
        )
        self._name, self.pids = name, list[int]()

    def warm_up(self) -> None:
        """Wait for the first steps of all ranks, and stop them; UserError if they do not come."""
        until = time.monotonic() + START_SECONDS
        while any(len(self._steps(rank)) < WARM_STEPS for rank in range(RANKS)):
            if self._process.poll() is not None or time.monotonic() > until:
                tail = (self._folder / "log").read_text(errors="replace")[-300:]
                raise UserError(f"{self._name} has not begun to train: {tail}")
            time.sleep(0.05)
        self.pids = [int((self._folder / f"{rank}.pid").read_text()) for rank in range(RANKS)]
        self.signal(signal.SIGSTOP)

    def turn(self, found: Turns) -> None:
        """Run for a turn, and note its median step."""
        begin_ns = time.time_ns()
        self.signal(signal.SIGCONT)
        time.sleep(TURN_SECONDS)
        end_ns = time.time_ns()
        self.signal(signal.SIGSTOP)
        ranks = [self._steps(rank) for rank in range(RANKS)]
        steps = [
            (max(took for _, took, _ in each), each[0][2])
            for each in zip(*ranks, strict=False)
            if all(begin_ns <= began and began + took <= end_ns for began, took, _ in each)
        ]
        if len(steps) > 3:
            found.wall_ms.append(median(wall for wall, _ in steps[1:]) / 1e6)
            found.cpu_ms.append(median(cpu for _, cpu in steps[1:]) / 1e6)
        else:
            found.wall_ms.append(float("nan"))
            found.cpu_ms.append(float("nan"))

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to all ranks."""
        for pid in self.pids:
            os.kill(pid, number)

    def end(self, conditions: Conditions) -> None:
        """End the launcher and its descendants, whose times nobody else tells: the launcher does not wait for them."""
        descendants = [] if self._process.poll() is not None else psutil.Process(self._process.pid).children(True)
        self._process.kill()
        self._process.wait()
        for one in descendants:
            with suppress(psutil.NoSuchProcess):
                times = one.cpu_times()
                conditions.orphans_s += times.user + times.system
                one.kill()
        self._log.close()

    def _steps(self, rank: int) -> list[tuple[int, int, int]]:
        path = self._folder / f"{rank}.steps"
        content = path.read_bytes() if path.exists() else b""
        return list(iter_unpack("=3q", content[: len(content) // 24 * 24]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the steps of each launcher and their ratios; 1 when a target is missed."""
    parser = Parser(__doc__)
    parser.add_argument(
        "rounds", nargs="?", type=count(3), default=30, metavar="ROUNDS", help="3 or more (%(default)s)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every turn there")
    given = parser.parse_args(arguments)
    names = list(COMMANDS)
    found = {name: Turns() for name in names}
    with watched() as conditions, ExitStack() as started:
        gangs = {}
        for name in names:
            folder = Path(started.enter_context(tempfile.TemporaryDirectory(prefix="ringscope-launchers-")))
            gangs[name] = Gang(name, folder)
            started.callback(gangs[name].end, conditions)
            gangs[name].warm_up()
        for number in range(given.rounds):
            turn = number % len(names)
            for name in names[turn:] + names[:turn]:
                gangs[name].turn(found[name])
    targets = []
    say(f"{RANKS} gloo ranks, {given.rounds} rounds of {TURN_SECONDS:g} s; {conditions}")
    say(f"{'':>10}{'step':>10}{'ratio':>9}{'quartiles':>18}{'CPU':>10}{'ratio':>9}")
    for name in names:
        walls, cpus = _ratios(found, name, "wall_ms"), _ratios(found, name, "cpu_ms")
        low, _, high = quantiles(walls, n=4)
        own = found[name]
        say(
            f"{name:>10}{_middle(own.wall_ms):>7.2f} ms{median(walls):>9.4f}{f'{low:.4f} to {high:.4f}':>18}"
            f"{_middle(own.cpu_ms):>7.2f} ms{median(cpus):>9.4f}"
        )
        if name in ("run", "no-watch"):
            targets.append(Target(f"step time of {name} / torchrun", TARGET, median(walls), at_most=True))
    watch = [a / b for a, b in zip(found["run"].cpu_ms, found["no-watch"].cpu_ms, strict=True) if a == a and b == b]
    targets.append(Target("CPU time of run / no-watch", TARGET, median(watch), at_most=True))
    if given.json:
        given.json.write_text(json.dumps({name: vars(turns) for name, turns in found.items()}))
    return judged(targets)


def _ratios(found: dict[str, Turns], name: str, column: str) -> list[float]:
    own, other = getattr(found[name], column), getattr(found["torchrun"], column)
    return [a / b for a, b in zip(own, other, strict=True) if a == a and b == b]


def _middle(values: list[float]) -> float:
    return median(value for value in values if value == value)


if __name__ == "__main__":
    exit_with(main)
