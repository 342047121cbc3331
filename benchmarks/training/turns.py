"""Training jobs on this machine that take turns: all of them stay alive, and while one runs the others are stopped.

So a change of the machine's speed hits all alike, no step pays for a start, and every job is what an agent starts: what
is compared may be our engine, PyTorch or TensorFlow. A step counts that began and ended, on all ranks, inside of its
job's own turn; its figures are those that the job tells.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import Any

from ringscope.contracts.job import JobSpec
from ringscope.contracts.rank_process import FAULT_VARIABLE
from ringscope.contracts.record import Record, Steps
from ringscope.rank.local import Run, run_local

_WARM_SECONDS = 120.0
_LOOK_SECONDS = 0.02
_ENDLESS = 1 << 20  # steps, and epochs


class RefusedError(Exception):
    """A job ended before it could take part; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A job: ``training`` as in a job's body, ``fault`` a drill; it takes part after ``warmup_steps``."""

    name: str
    training: Mapping[str, Any]
    ranks: int = 2
    fault: str = ""
    warmup_steps: int = 5

    @property
    def spec(self) -> JobSpec:
        """The job, without an end of its own."""
        training = {"epochs": _ENDLESS // 16, "max_steps": _ENDLESS, **self.training}
        return JobSpec.model_validate({"kind": "training", "training": training, "placement": {"ranks": self.ranks}})


@dataclass(frozen=True, slots=True)
class GangStep:
    """One step of all ranks: of the slowest its duration, of all their samples, of the rest the mean."""

    duration_us: float
    exposed_us: float
    communication_us: float
    samples: int


@dataclass(frozen=True, slots=True)
class _RankStep:
    start_ns: int
    duration_us: float
    exposed_us: float
    communication_us: float
    samples: int

    @property
    def end_ns(self) -> float:
        return self.start_ns + self.duration_us * 1e3


class Gang:
    """The processes of one contender."""

    def __init__(self, contender: Contender) -> None:
        """Start it and wait until it is warm; RefusedError where it ends before."""
        self._contender, self._run = contender, Run()
        self._steps: dict[int, dict[int, _RankStep]] = {}  # by number, by rank
        self._records = run_local(contender.spec, self._run)
        with _variable(FAULT_VARIABLE, contender.fault):
            self._take(next(self._records, None))
        self._listener = Thread(target=self._listen)
        self._listener.start()

    def warm_up(self) -> None:
        """Run for the steps that do not count; RefusedError where the job ends before."""
        self._wait(lambda: len(self._steps) > self._contender.warmup_steps)

    def turn(self, seconds: float) -> tuple[int, int]:
        """Run for so long; the turn's begin and end in ns."""
        self.go_on()
        begin_ns = time.time_ns()
        time.sleep(seconds)
        end_ns = time.time_ns()
        self.halt()
        return begin_ns, end_ns

    def go_on(self) -> None:
        """Let its ranks run."""
        self._signal(signal.SIGCONT)

    def halt(self) -> None:
        """Stop its ranks where they are."""
        self._signal(signal.SIGSTOP)

    def steps(self, begin_ns: int, end_ns: int) -> list[GangStep]:
        """Return a turn's steps once all have come: the ranks send late, and must run until they have."""
        self._wait(lambda: any(_is_after(ranks, end_ns) for ranks in list(self._steps.values())))
        return [
            _gang_step(list(ranks.values()))
            for ranks in list(self._steps.values())
            if len(ranks) == self._contender.ranks and _is_inside(ranks, begin_ns, end_ns)
        ]

    def end(self) -> None:
        """End all of its processes: those that are stopped heed no other signal."""
        self._signal(signal.SIGKILL)
        self._listener.join()

    def _signal(self, number: signal.Signals) -> None:
        for hello in self._run.hellos:
            try:
                os.kill(hello.pid, number)
            except ProcessLookupError:
                continue

    def _wait(self, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _WARM_SECONDS
        while not is_so():
            if not self._listener.is_alive():
                raise RefusedError(self._run.reason.splitlines()[0] or "it ended before its turn was over.")
            if time.monotonic() > deadline:
                raise RefusedError(f"it took more than {_WARM_SECONDS:.0f} s for its first steps.")
            time.sleep(_LOOK_SECONDS)

    def _listen(self) -> None:
        for record in self._records:
            self._take(record)

    def _take(self, record: Record | None) -> None:
        if not isinstance(record, Steps):
            return
        columns = (
            record.start_ns,
            record.duration_us,
            record.exposed_us,
            record.communication_us,
            record.samples or (),
        )
        for number, row in enumerate(zip(*columns, strict=True), record.first_step):
            self._steps.setdefault(number, {})[record.rank] = _RankStep(*row)


def take_turns(
    contenders: Sequence[Contender], rounds: int, seconds: float
) -> tuple[dict[str, list[list[GangStep]]], dict[str, str]]:
    """The steps of each contender, round by round, and why others took no part.

    In every round each runs for ``seconds``, in the same order: no one is stopped for so long that its own library
    gives it up, as TensorFlow does after 10 s.
    """
    refused: dict[str, str] = {}
    with ExitStack() as started:
        gangs: dict[str, Gang] = {}
        for contender in contenders:
            gang = Gang(contender)
            started.callback(gang.end)
            with _noted(refused, contender.name):
                gang.warm_up()
                gang.halt()
                gangs[contender.name] = gang
        turns: dict[str, list[tuple[int, int]]] = {name: [] for name in gangs}
        for _ in range(rounds):
            for name, gang in gangs.items():
                turns[name].append(gang.turn(seconds))
        for gang in gangs.values():  # at once: who is stopped for long gives up the others of its gang
            gang.go_on()
        steps: dict[str, list[list[GangStep]]] = {}
        for name, gang in gangs.items():
            with _noted(refused, name):
                steps[name] = [gang.steps(*turn) for turn in turns[name]]
        return steps, refused


@contextmanager
def _noted(refused: dict[str, str], name: str) -> Iterator[None]:
    """Leave a contender that refuses inside the block out of the comparison, and note its reason."""
    try:
        yield
    except RefusedError as error:
        refused[name] = str(error)


def _is_inside(ranks: Mapping[int, _RankStep], begin_ns: int, end_ns: int) -> bool:
    return all(begin_ns <= step.start_ns and step.end_ns <= end_ns for step in ranks.values())


def _is_after(ranks: Mapping[int, _RankStep], end_ns: int) -> bool:
    return all(step.start_ns > end_ns for step in ranks.values())


def _gang_step(ranks: Sequence[_RankStep]) -> GangStep:
    return GangStep(
        duration_us=max(step.duration_us for step in ranks),
        exposed_us=sum(step.exposed_us for step in ranks) / len(ranks),
        communication_us=sum(step.communication_us for step in ranks) / len(ranks),
        samples=sum(step.samples for step in ranks),
    )


@contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    """Set a variable in the environment of processes that are started inside the block."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before
