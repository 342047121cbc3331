"""`ringscope check --here`: this machine alone against its own baseline, without a server."""

import os
import socket
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from ringscope.cli.checks.outcome import Outcome
from ringscope.contracts.errors import UserError
from ringscope.engine.cores import hardware, is_same_processor, own_cores
from ringscope.preflight.baseline import Baseline, Span
from ringscope.preflight.intervals import Interval, hull, reached
from ringscope.preflight.judgement import (
    FINE,
    UNKNOWN,
    WRONG,
    Finding,
    compared,
    compared_cards,
    confirmed,
    is_too_wide,
)
from ringscope.rank.check.all_reduce import Reduced, reduced
from ringscope.rank.check.cards import card_rates
from ringscope.rank.check.memory import Copied, copied
from ringscope.rank.load import MOST_OTHER_SHARE, LoadMeter

MEMORY, ALL_REDUCE = "memory bandwidth", "all-reduce"
_PARTS_OF_BASELINE = 4  # apart in time, as two runs of a healthy machine differ more than two moments of one run
_MEMORY_SHARE = 0.4  # share of the time; the rest is for the all-reduce


@dataclass(frozen=True)
class Measured:
    """One measurement of this machine; a rate is None if there is no interval."""

    copied: Copied
    reduced: Reduced

    @property
    def rates(self) -> dict[str, Interval | None]:
        """Return the interval of each rate by name."""
        return {MEMORY: reached(self.copied.rates), ALL_REDUCE: reached(self.reduced.rates)}

    @property
    def broken(self) -> list[Finding]:
        """Return the findings that need no baseline: wrong results, and ranks that failed."""
        found = []
        if self.copied.wrong_bytes:
            found.append(Finding(MEMORY, WRONG, f"{MEMORY}: {self.copied.wrong_bytes} copied bytes are wrong."))
        if self.reduced.wrong:
            found.append(Finding(ALL_REDUCE, WRONG, f"{ALL_REDUCE}: {self.reduced.wrong} elements are wrong."))
        elif self.reduced.failure:
            reason = self.reduced.failure.splitlines()[0].rstrip(".")
            found.append(Finding(ALL_REDUCE, UNKNOWN, f"{ALL_REDUCE}: the ranks failed: {reason}."))
        return found


def measure(seconds: float) -> Measured:
    """Measure this machine for so long, beside the start of the ranks."""
    cores = own_cores().at_once
    memory = copied(seconds * _MEMORY_SHARE, cores)
    return Measured(memory, reduced(seconds * (1 - _MEMORY_SHARE), cores))


def check_here(seconds: float, file: Path) -> Outcome:
    """Compare this machine with its baseline; what is not fine is measured again with the second half of the time."""
    subject = socket.gethostname()
    baseline = read(file)
    meter = LoadMeter()
    first = measure(seconds / 2)
    expected = baseline.rates if baseline is not None else {}
    found = _judged(first, expected)
    again = _judged(measure(seconds / 2), expected) if any(one.word != FINE for one in found) and expected else []
    share = meter.other_share()
    findings = confirmed(found, again, share, MOST_OTHER_SHARE)
    notes = [f"Other programs used {share:.0%} of the processors meanwhile."] if share > MOST_OTHER_SHARE else []
    if baseline is None:
        make = "make one with --baseline while the machine is idle and healthy"
        missing = Finding("baseline", UNKNOWN, f"There is no baseline of this machine in {file}; {make}.")
        return Outcome(subject, [one for one in findings if one.word == WRONG] or [missing], notes)
    if (other := _other_hardware(baseline)) is not None:
        return Outcome(subject, [one for one in findings if one.word == WRONG] or [other], notes)
    return Outcome(subject, [*findings, *compared_cards(card_rates(), baseline.cards)], notes)


def make_baseline(seconds: float, file: Path, keep: bool) -> Outcome:
    """Measure this machine several times, and write what it reached; not if a result is wrong.

    ``keep`` also keeps what other programs disturbed.
    """
    subject = socket.gethostname()
    meter = LoadMeter()
    parts = [measure(seconds / _PARTS_OF_BASELINE) for _ in range(_PARTS_OF_BASELINE)]
    if broken := [finding for part in parts for finding in part.broken]:
        return Outcome(subject, broken, ["No baseline was written."])
    rates: dict[str, Span] = {}
    findings = []
    for name in (MEMORY, ALL_REDUCE):
        known = [interval for part in parts if (interval := part.rates[name]) is not None]
        if len(known) < len(parts):
            return Outcome(subject, [compared(name, None, None)], ["No baseline was written."])
        whole = hull(known)
        rates[name] = Span(low=whole.low, high=whole.high)
        findings.append(compared(name, whole, whole))
    share = meter.other_share()
    if share > MOST_OTHER_SHARE and not keep:
        told = f"Other programs used {share:.0%} of the processors; repeat it while the machine is idle, or add --keep."
        return Outcome(subject, [Finding("baseline", UNKNOWN, told)], ["No baseline was written."])
    wide = [name for name, span in rates.items() if is_too_wide(span.interval)]
    if wide and not keep:
        told = f"{wide[0]}: {rates[wide[0]].low:.4g} to {rates[wide[0]].high:.4g} GB/s is too wide for a baseline;"
        found = Finding(wide[0], UNKNOWN, f"{told} repeat it with more time (--for), or add --keep.")
        return Outcome(subject, [found], ["No baseline was written."])
    cards = {name: rate for name, rate in card_rates().items() if rate > 0}
    made = Baseline(hardware=hardware(), made_at=datetime.now(UTC), rates=rates, cards=cards)
    _write(file, made)
    return Outcome(subject, findings, [f"Wrote the baseline to {file}."])


def default_file() -> Path:
    """Return the file in the user's state folder; it has the host's name, as machines may share a home."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")  # noqa: PTH111  # Path raises without a home
    return Path(state, "ringscope", f"check-{socket.gethostname()}.json")


def read(file: Path) -> Baseline | None:
    """Return the baseline; None if there is none; UserError if the file cannot be used."""
    try:
        return Baseline.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"--baseline-file: {file} cannot be read ({error.strerror}); choose another file.") from None
    except ValidationError:
        raise UserError(f"--baseline-file: {file} is no baseline; make a new one with --baseline.") from None


def _judged(measured: Measured, expected: Mapping[str, Span]) -> list[Finding]:
    broken = {finding.name: finding for finding in measured.broken}
    spans = {name: expected[name].interval if name in expected else None for name in measured.rates}
    return [broken.get(name) or compared(name, interval, spans[name]) for name, interval in measured.rates.items()]


def _other_hardware(baseline: Baseline) -> Finding | None:
    here = hardware()
    if baseline.hardware == here:
        return None
    what = "with other cores" if is_same_processor(baseline.hardware, here) else "of other hardware"
    told = f"The baseline was made {what} ({baseline.hardware}), and here are {here}; make a new one with --baseline."
    return Finding("baseline", UNKNOWN, told)


def _write(file: Path, baseline: Baseline) -> None:
    temporary = None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, prefix=file.name, delete=False) as opened:
            temporary = Path(opened.name)
            opened.write(baseline.model_dump_json(indent=2) + "\n")
        temporary.replace(file)
    except OSError as error:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink()
        told = f"--baseline-file: {file} cannot be written ({error.strerror}); choose another file."
        raise UserError(told) from None
