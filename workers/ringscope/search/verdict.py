"""The verdict of a search in one sentence, with its reason in numbers, and the table of its candidates. Pure."""

from collections.abc import Mapping, Sequence
from statistics import mean

from pydantic import BaseModel, Field

from ringscope.contracts.search.record import SearchRun, SearchTarget
from ringscope.contracts.words.units import format_size
from ringscope.search.candidates import INEXACT, LeftOut
from ringscope.search.ratios import interval
from ringscope.search.rounds import MOST_ROUNDS, Rounds
from ringscope.search.targets import final

_FEW = 0.02  # share of a step that is not worth a clause


class CandidateResult(BaseModel):
    """One line of a search's table. A candidate that is left out, or whose runs all failed, has no figures."""

    name: str
    state: str = Field(description="winner, unbeaten, slower, failed or left_out.")
    reason: str = Field("", description="Why it left or was left out, in a sentence.")
    round: int | None = Field(None, description="Round in which it left, counted from 0.")
    runs: int = Field(0, description="Its successful runs. The first one, a trial, counts while there is no other.")
    samples_per_second: float | None = None
    samples_per_second_low: float | None = Field(
        None, description="Lower end of the 95 % interval of its mean over the runs; null: fewer than two runs."
    )
    samples_per_second_high: float | None = None
    times_as_long: float | None = Field(None, description="Time of a sample, divided by that of the fastest candidate.")
    times_as_long_low: float | None = Field(None, description="Lower end of its 95 % interval; null: too few runs.")
    times_as_long_high: float | None = None
    step_us: float | None = None
    compute_us: float | None = None
    input_us: float | None = None
    exposed_us: float | None = Field(None, description="Waiting of a step for sums, servers or other stages.")
    communication_us: float | None = Field(
        None, description="The sums of a step, also while the rank computes; null: not measured."
    )
    exchanged_bytes: float | None = Field(
        None,
        description="Bytes that a rank gives to the exchange in a step, after compression; an algorithm sends them "
        "once or several times.",
    )
    sent_bytes: float | None = Field(
        None,
        description="Bytes that a rank sends in a step, as counted where they are moved, without those of a run's "
        "start; the mean over the ranks. null: a library moves them that nobody counts.",
    )
    most_sent_bytes: float | None = Field(None, description="The same of the rank that sends most.")
    peak_bytes: int | None = Field(
        None,
        description="Peak resident set of a rank's process during a run, the largest of the ranks and the smallest of "
        "the runs; null: not measured.",
    )
    is_exact: bool = Field(
        True,
        description="Whether its update is by design that of one process with the same samples: false for compressed "
        "gradients, local_sgd, ssp and async.",
    )
    same_bits: bool | None = Field(
        None,
        description="Whether its parameters after its first run had the same bits as those of one process; null: not "
        "compared, because its update is not exact, or no rank has the whole model.",
    )
    difference: float | None = Field(
        None, description="The largest difference of a parameter there, as a part of the largest parameter."
    )
    seconds_to_target: float | None = Field(
        None, description="Time of its steps up to the first epoch that reached the target accuracy; null: none did."
    )
    epochs_to_target: int | None = None
    accuracy: float | None = Field(
        None, description="The best on the held-out samples in its longest run to the target; null: it had none."
    )


class Verdict(BaseModel):
    """The result of a search. ``winner`` is null if no candidate is clearly the fastest."""

    winner: str | None
    sentence: str
    candidates: list[CandidateResult]


def verdict(
    rounds: Rounds,
    left_out: Sequence[LeftOut],
    targets: Sequence[SearchTarget] = (),
    target_accuracy: float | None = None,
) -> Verdict:
    """Judge a search by the runs so far, with a target accuracy by the runs to it."""
    to_target = final(targets)
    lines = [_line(rounds, name, to_target) for name in rounds.ranked()]
    leading = [line for line in lines if line.name in rounds.left]
    reached = sorted((line for line in leading if line.seconds_to_target is not None), key=_to_target)
    winner = _clear_winner(rounds, leading) if target_accuracy is None else _first_at_target(rounds, reached)
    for line in leading:
        line.state = "winner" if line.name == winner else "unbeaten"
    lines += [
        CandidateResult(name=each.name, state="left_out", reason=each.reason, is_exact=each.name not in INEXACT)
        for each in left_out
    ]
    if winner is not None:
        lines.sort(key=lambda line: line.name != winner)
    if reached:
        sentence = _by_target(rounds, reached, winner, target_accuracy or 0.0)
    else:
        sentence = _sentence(rounds, lines, winner)
        if to_target and target_accuracy is not None:
            epochs = max(each.epochs for each in to_target.values())
            sentence += f" None of them reached the accuracy of {target_accuracy:.1%} within {epochs} epochs."
    return Verdict(winner=winner, sentence=sentence, candidates=lines)


def _to_target(line: CandidateResult) -> float:
    return line.seconds_to_target or 0.0


def _first_at_target(rounds: Rounds, reached: Sequence[CandidateResult]) -> str | None:
    """Return the candidate that is clearly the first at the target: its epochs times the measured time of a sample.

    Those that did not reach it trained for longer than the first one.
    """
    if not reached:
        return None
    first, *others = reached
    return first.name if all(_is_later(rounds, first, other) for other in others) else None


def _is_later(rounds: Rounds, first: CandidateResult, other: CandidateResult) -> bool:
    ratio = rounds.against(first.name, other.name)
    if ratio is None or ratio.low is None or not first.epochs_to_target or not other.epochs_to_target:
        return False
    return ratio.low * other.epochs_to_target / first.epochs_to_target > 1


def _clear_winner(rounds: Rounds, leading: Sequence[CandidateResult]) -> str | None:
    """Return the only candidate that is left; a search in which no other one ran has none."""
    is_alone = len(leading) == 1 and bool(rounds.departures)
    return leading[0].name if is_alone else None


def _line(rounds: Rounds, name: str, targets: Mapping[str, SearchTarget]) -> CandidateResult:
    every, runs, fastest = rounds.runs_of(name), rounds.counted(name), rounds.ranked()[0]
    gone = next((each for each in rounds.departures if each.candidate == name), None)
    line = CandidateResult(name=name, state="unbeaten", runs=len(runs), is_exact=name not in INEXACT)
    if gone is not None:
        line.state, line.reason, line.round = gone.why.value, gone.sentence, gone.round
    if not runs:
        return line
    line.samples_per_second = 1e6 / (rounds.typical_us(name) or 1.0)
    if (times := rounds.range_us(name)) is not None:
        line.samples_per_second_low, line.samples_per_second_high = 1e6 / times[1], 1e6 / times[0]
    if (ratio := rounds.against(fastest, name)) is not None:
        line.times_as_long, line.times_as_long_low, line.times_as_long_high = (
            ratio[:3] if name != fastest else (1, 1, 1)
        )
    line.step_us = mean(run.time_us for run in runs)
    line.compute_us, line.input_us = mean(run.compute_us for run in runs), mean(run.input_us for run in runs)
    line.exposed_us = mean(run.exposed_us for run in runs)
    in_sums = [run.communication_us for run in runs if run.communication_us is not None]
    line.communication_us = mean(in_sums) if in_sums else None
    line.exchanged_bytes = mean(run.exchanged_bytes for run in runs)
    line.difference = next((run.difference for run in every if run.difference is not None), None)
    line.same_bits = None if line.difference is None else line.difference == 0
    line.sent_bytes, line.most_sent_bytes = sent_in_a_step(every)
    # What an earlier candidate left in the process's memory only adds to a run.
    line.peak_bytes = min((run.peak_bytes for run in every if run.peak_bytes is not None), default=None)
    if target := targets.get(name):
        line.seconds_to_target, line.epochs_to_target = target.seconds_to_target, target.epochs_to_target
        line.accuracy = target.accuracy
    return line


def sent_in_a_step(runs: Sequence[SearchRun]) -> tuple[float | None, float | None]:
    """Return the bytes that a rank sends in a step, the mean over the ranks and the most, by the counts of whole runs.

    The difference of the longest and the shortest run leaves out what each run sends once. None: not counted.
    """
    counted = sorted((run for run in runs if run.sent_bytes is not None and run.steps), key=lambda run: run.steps)
    if not counted or counted[0].steps == counted[-1].steps:
        return None, None
    short, long = counted[0], counted[-1]
    steps = long.steps - short.steps
    mean_bytes = ((long.sent_bytes or 0.0) - (short.sent_bytes or 0.0)) / steps
    most_bytes = ((long.most_sent_bytes or 0.0) - (short.most_sent_bytes or 0.0)) / steps
    return max(0.0, mean_bytes), max(0.0, most_bytes)


def _sentence(rounds: Rounds, lines: Sequence[CandidateResult], winner: str | None) -> str:
    timed = [line for line in lines if line.runs]
    if not timed:
        return "No candidate has run yet."
    if winner is None:
        unbeaten = [line for line in timed if line.state == "unbeaten"]
        first, *others = unbeaten or timed
        if not others:
            return f"No clear winner: {first.name} is the only candidate that ran."
        names = _listed([line.name for line in (first, *others)])
        ratio = rounds.against(first.name, others[0].name)
        apart = f"; {others[0].name} takes {interval(ratio)} times as long as {first.name}" if ratio else ""
        return f"No clear winner among {names}: {first.name} has {_rate(first)}{apart}.{_budget(rounds)}"
    best = next(line for line in timed if line.name == winner)
    second = next((line for line in timed if line.name != winner and line.state != "failed"), None)
    if second is None:
        return f"{best.name} is the only candidate whose runs succeeded, with {_rate(best)}."
    ratio = rounds.against(best.name, second.name)
    apart = f": {second.name}, the next one, takes {interval(ratio)} times as long" if ratio else ""
    caution = ""
    if best.name in INEXACT and second.name not in INEXACT:
        caution = " Its updates are not those of one process: give a target accuracy to compare how it learns."
    return f"{best.name} is the fastest with {_rate(best)}{apart}{_reason(best, second)}.{caution}"


def _budget(rounds: Rounds) -> str:
    if (held := rounds.held) is None:
        return " A longer budget tells smaller differences." * rounds.is_short_of_time
    return f" The budget held {held} round{'s' * (held > 1)} of {MOST_ROUNDS}; a longer one tells smaller differences."


def _by_target(rounds: Rounds, reached: Sequence[CandidateResult], winner: str | None, target_accuracy: float) -> str:
    first, *others = reached
    when = f"reaches the accuracy of {target_accuracy:.1%} first, after {_effort(first)}"
    if winner is not None:
        begin = f"{winner} {when}"
    else:
        equals = [line for line in others if not _is_later(rounds, first, line)]
        begin = f"No clear winner among {_listed([line.name for line in (first, *equals)])}: {first.name} {when}"
    if not others:
        return f"{begin}; no other candidate reached it."
    reason = _reason(first, others[0]) if winner is not None else ""
    return f"{begin}; {others[0].name} takes {_effort(others[0])}{reason}."


def _effort(line: CandidateResult) -> str:
    epochs = f"{line.epochs_to_target} epoch{'' if line.epochs_to_target == 1 else 's'}"
    return f"{line.seconds_to_target:.3g} s of steps and {epochs}"


def _reason(best: CandidateResult, other: CandidateResult) -> str:
    """Return the largest differences of the two candidates' steps, as clauses."""
    clauses = []
    for field, what in (("exposed_us", "waits {} of a step for sums"), ("input_us", "waits {} of a step for samples")):
        here, there = (_share(line, field) for line in (best, other))
        if abs(here - there) > _FEW:
            clauses.append(f"{other.name} {what.format(f'{there:.0%}')} and {best.name} {here:.0%}")
    per_sample = [_per_sample_us(line, "compute_us") for line in (best, other)]
    if all(per_sample) and abs(per_sample[1] / per_sample[0] - 1) > 5 * _FEW:
        clauses.append(f"{other.name} computes {per_sample[1] / per_sample[0]:.2f} times as long")
    if best.exchanged_bytes and other.exchanged_bytes and abs(other.exchanged_bytes / best.exchanged_bytes - 1) > _FEW:
        sizes = [format_size(round(line.exchanged_bytes or 0)) for line in (other, best)]
        clauses.append(f"a rank exchanges {sizes[0]} in a step instead of {sizes[1]}")
    return f"; {', and '.join(clauses)}" if clauses else ""


def _share(line: CandidateResult, field: str) -> float:
    return float(getattr(line, field) or 0.0) / line.step_us if line.step_us else 0.0


def _per_sample_us(line: CandidateResult, field: str) -> float:
    samples = (line.samples_per_second or 0.0) * (line.step_us or 0.0) / 1e6
    return float(getattr(line, field) or 0.0) / samples if samples else 0.0


def _rate(line: CandidateResult) -> str:
    return f"{line.samples_per_second:,.0f} samples/s"


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
