"""Six faults of one gloo rank in four, explained from the Flight Recorder's dumps, beside PyTorch's own analyser.

Each run has the fault on another rank and in another step; runs without a fault are interleaved. The dumps are taken as
soon as no rank goes on for two seconds. Right means: the rank, the number of the operation and the line of source code
of its call. PyTorch's analyser is asked twice: with the dumps as they are, and after the name of gloo's group, without
which it fails, has been added to them.
"""

import random
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.command import Parser, count, exit_with
from benchmarks.hangs import gang, peer
from benchmarks.hangs.script import FAULTS, Fault, line_of, loop
from benchmarks.report import Target, judged

from ringscope.hangs.dumps import read_dump
from ringscope.hangs.sentences import answer
from ringscope.hangs.verdict import Verdict, explain

_STEPS = 40
_PER_STEP = 2
_WANTED_S = 5.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run faults and clean runs in a random order, print the table; 1 when a target is missed."""
    parser = Parser(__doc__)
    parser.add_argument("--runs", type=count(), default=20, help="runs of each fault (default 20)")
    parser.add_argument("--clean", type=count(), default=50, help="runs without a fault (default 50)")
    parser.add_argument("--steps", type=count(4), default=_STEPS, help=f"steps of a run (default {_STEPS})")
    parser.add_argument("--seed", type=count(0), default=1, help="of the order, ranks and steps (default 1)")
    parser.add_argument("--keep", type=Path, help="keep the dumps of each run in this folder")
    asked = parser.parse_args(arguments)
    chance = random.Random(asked.seed)
    kinds = [*FAULTS * asked.runs, *["clean"] * asked.clean]
    chance.shuffle(kinds)
    right, theirs, raw = Counter[str](), Counter[str](), Counter[str]()
    false, slowest_s = 0, 0.0
    for number, kind in enumerate(kinds):
        fault = Fault(kind, chance.randrange(gang.RANKS), chance.randrange(asked.steps // 2, asked.steps - 1))
        given = None if kind == "clean" else fault
        recorded = gang.record(_body(asked.steps, given), _buffer(asked.steps))
        verdict = _verdict(recorded.pickles)
        if kind not in ("clean", "slow"):
            slowest_s = max(slowest_s, time.monotonic() - recorded.stalled_at)
        _keep(asked.keep, f"{kind}_{number}", recorded)
        if given is None:
            false += not verdict.is_clean
            is_right = verdict.is_clean
        else:
            is_right = _is_right(verdict, fault)
        right[kind] += is_right
        theirs[kind] += _is_theirs_right(peer.told(recorded.pickles, True), given)
        raw[kind] += _is_theirs_right(peer.told(recorded.pickles, False), given)
        if not is_right:
            print(f"{kind}, rank {fault.rank}, step {fault.step}: {answer(verdict)}", flush=True)
    _print(Counter(kinds), right, theirs, raw)
    found = sum(right[kind] for kind in FAULTS)
    total = asked.runs * len(FAULTS)
    return judged(
        [
            Target("share of faults with rank, operation and line right", 118 / 120, found / total),
            Target("findings in clean runs", 0, false, at_most=True),
            Target("seconds from the last progress to the answer, the longest", _WANTED_S, slowest_s, at_most=True),
        ]
    )


def _body(steps: int, fault: Fault | None) -> gang.Body:
    return lambda rank, progress: loop(rank, steps, fault, progress)


def _buffer(steps: int) -> int:
    """Return the entries of the recorder's buffer: four fifths of a run's operations."""
    return _PER_STEP * steps * 4 // 5


def _verdict(dumps: dict[str, bytes]) -> Verdict:
    return explain([read_dump(name, content) for name, content in dumps.items()])


def _is_right(verdict: Verdict, fault: Fault) -> bool:
    """Return whether the kind, the rank, the number and the line of the first finding are those of the fault."""
    if not verdict.findings:
        return False
    found = verdict.findings[0]
    source = found.expected.source if found.expected else None
    return (
        found.kind == fault.kind
        and found.ranks == (fault.rank,)
        and found.seq == _PER_STEP * fault.step + 1
        and source is not None
        and source.line == line_of("all_reduce")
    )


def _is_theirs_right(told: tuple[set[int], int | None, set[int]] | str, fault: Fault | None) -> bool:
    """Return whether the analyser named rank, operation and line; in a clean run, whether it said nothing."""
    if fault is None or isinstance(told, str):
        return fault is None and told == "nothing"
    ranks, number, lines = told
    return ranks == {fault.rank} and number == _PER_STEP * fault.step + 1 and line_of("all_reduce") in lines


def _keep(folder: Path | None, name: str, recorded: gang.Recorded) -> None:
    if folder is not None:
        place = folder / name
        place.mkdir(parents=True, exist_ok=True)
        for file, content in {**recorded.pickles, **recorded.texts}.items():
            (place / file).write_bytes(content)


def _print(runs: Counter[str], right: Counter[str], theirs: Counter[str], raw: Counter[str]) -> None:
    print(f"{'':<12}{'runs':>6}{'ringscope':>12}{'fr_trace':>12}{'fr_trace, repaired':>20}")
    for kind in (*FAULTS, "clean"):
        print(f"{kind:<12}{runs[kind]:>6}{right[kind]:>12}{raw[kind]:>12}{theirs[kind]:>20}")


if __name__ == "__main__":
    exit_with(main)
