"""CPU time that the watch adds to a step of a script with DistributedDataParallel, in one process.

    python -m benchmarks.training.watch_cost [ROUNDS] [--width N]

One gloo rank trains the model of ddp_script.py. In each round it does a block of steps with the watch and one without
it, in an order that changes. Records go through a socket to another process that drops them. The watch calls no other
rank, so that one rank is enough. Both numbers are CPU time of the main thread:

    inside   in the functions that the watch adds to a step, with what they cost after caches were filled by the model
    added    the difference of the means of a round's two blocks, which other work on the machine makes noisy
"""

import os
import signal
import socket
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean, median, quantiles
from types import SimpleNamespace
from typing import Any, cast

from benchmarks.command import Parser, count, exit_with
from benchmarks.report import Target, judged, say, watched

from ringscope.engine.communicator import Communicator
from ringscope.rank.reporter import Reporter
from ringscope.rank.step_log import StepLog
from ringscope.rank.watch.steps import Watch

BATCH, LAYERS, EPOCH_STEPS, EPOCHS = 48, 4, 16, 4
TARGET_US = 100.0  # 1 % of a step of 10 ms
USUAL_RATE = 100  # one step of so many, in which DDP's reducer notes its times by itself


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the steps with and without the watch; 1 when the target is missed."""
    parser = Parser(__doc__)
    parser.add_argument(
        "rounds", nargs="?", type=count(4), default=40, metavar="ROUNDS", help="4 or more (%(default)s)"
    )
    parser.add_argument("--width", type=count(8), default=512, metavar="N", help="of the model's layers (%(default)s)")
    given = parser.parse_args(arguments)
    with watched() as conditions, tempfile.TemporaryDirectory() as folder, _receiver(Path(folder)) as path:
        reporter = Reporter(str(path))
        comm = cast(Communicator, SimpleNamespace(rank=0, size=1, position=memoryview(bytearray(512)).cast("q")))
        watch, inside = Watch(comm, StepLog(comm, reporter.send), reporter.send), Inside()
        inside.add(watch, "_on_step")
        inside.add(watch._samples, "_note")
        watch.start()
        found = _measured(watch, given.rounds, given.width, Path(folder) / "store")
        reporter.close()
    without, with_it = ([fmean(block) for block in found[is_on]] for is_on in (False, True))
    added = [b - a for a, b in zip(without, with_it, strict=True)]
    low, _, high = quantiles(added, n=4)
    say(f"one gloo rank, width {given.width}, {given.rounds} rounds of {EPOCH_STEPS * EPOCHS} steps; {conditions}")
    say(f"CPU time of a step without the watch {median(without):.0f} us, with it {median(with_it):.0f} us")
    say(f"added {median(added):.0f} us, quartiles of the rounds {low:.0f} to {high:.0f} us")
    spent_us = inside.spent_ns / 1e3 / inside.calls["_on_step"]
    return judged([Target("microseconds of a step inside of the watch", TARGET_US, spent_us, at_most=True)])


class Inside:
    """The CPU time of the main thread in methods, with the two looks at the clock."""

    def __init__(self) -> None:
        self.spent_ns, self.calls = 0, Counter[str]()

    def add(self, owner: object, name: str) -> None:
        """Count the time in a method of an object from now on."""
        method, clock = getattr(owner, name), time.thread_time_ns

        def timed(*arguments: object) -> None:
            since_ns = clock()
            method(*arguments)
            self.spent_ns += clock() - since_ns
            self.calls[name] += 1

        setattr(owner, name, timed)


def _measured(watch: Watch, rounds: int, width: int, store: Path) -> dict[bool, list[list[float]]]:
    """Return the CPU time of each step in microseconds, by round, without and with the watch."""
    import torch  # after the watch has begun, as in a script
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel
    from torch.utils.data import DataLoader, TensorDataset

    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=0, world_size=1)
    layers = [part for _ in range(LAYERS) for part in (torch.nn.Linear(width, width), torch.nn.ReLU())]
    model: Any = DistributedDataParallel(torch.nn.Sequential(*layers), gradient_as_bucket_view=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(TensorDataset(torch.randn(BATCH * EPOCH_STEPS, width)), batch_size=BATCH)

    def train() -> Iterator[float]:
        since_ns = time.thread_time_ns()
        for (batch,) in loader:
            optimizer.zero_grad()
            model(batch).square().mean().backward()
            optimizer.step()
            now_ns = time.thread_time_ns()
            yield (now_ns - since_ns) / 1e3
            since_ns = now_ns

    def switch(is_on: bool) -> None:
        watch._is_off = watch._calls.is_off = watch._samples.is_off = not is_on
        model._set_ddp_runtime_logging_sample_rate(watch._ddp.every if is_on else USUAL_RATE)

    found: dict[bool, list[list[float]]] = {False: [], True: []}
    for number in range(rounds):
        for is_on in (False, True) if number % 2 else (True, False):
            switch(is_on)
            _ = [*train()]  # until the caches are as they are in this mode
            found[is_on].append([us for _ in range(EPOCHS) for us in train()])
    dist.destroy_process_group()
    return found


@contextmanager
def _receiver(folder: Path) -> Iterator[Path]:
    """Yield the path of a socket whose other end is read in another process."""
    path = folder / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        pid = os.fork()
        if pid == 0:
            connection, _ = listener.accept()
            while connection.recv(1 << 16):
                pass
            os._exit(0)
    try:
        yield path
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    exit_with(main)
