"""Compares what was measured with a baseline, interval against interval. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ringscope.preflight.intervals import Interval

FINE, LOW, WRONG, UNKNOWN = "fine", "low", "wrong result", "could not judge"
EXIT_CODES = {FINE: 0, LOW: 1, WRONG: 2, UNKNOWN: 3}
_WORST_FIRST = (WRONG, LOW, UNKNOWN, FINE)
# The whole interval must be further below the whole baseline than two healthy runs differ.
MARGIN = 0.04
# An interval that reaches further down, but not wholly below the margin, would hide a loss of 10 %.
TOO_WIDE = 0.15

_LOAD_POWER = 3
# Beside more of other work, ranks that wait for one without a core reached a hundredth of a healthy machine's rate.
_MOST_EXPLAINED = 0.5


@dataclass(frozen=True)
class Finding:
    """The judgement of one thing; intervals are in ``unit``, and None where there is none."""

    name: str
    word: str
    sentence: str
    unit: str = "GB/s"
    measured: Interval | None = None
    expected: Interval | None = None

    def document(self) -> dict[str, object]:
        """Return it as JSON."""
        return {
            "name": self.name,
            "word": self.word,
            "sentence": self.sentence,
            "unit": self.unit,
            "low": self.measured and self.measured.low,
            "high": self.measured and self.measured.high,
            "expected_low": self.expected and self.expected.low,
            "expected_high": self.expected and self.expected.high,
        }


def word_of(measured: Interval, expected: Interval) -> str:
    """Return low, fine, or could not judge if the interval is too wide to tell."""
    if measured.high < expected.low * (1 - MARGIN):
        return LOW
    return FINE if measured.low >= expected.low * (1 - TOO_WIDE) else UNKNOWN


def is_too_wide(interval: Interval) -> bool:
    """Return whether a baseline is so wide that it would hide a loss."""
    return interval.low < interval.high * (1 - TOO_WIDE)


def compared(
    name: str,
    measured: Interval | None,
    expected: Interval | None,
    unit: str = "GB/s",
    source: str = "",
) -> Finding:
    """Return the judgement of a rate; without an interval or a baseline it could not be judged.

    ``source`` is what the baseline was made of, if the sentence should say it: "5 measurements".
    """
    if measured is None:
        return Finding(name, UNKNOWN, f"{name}: there were too few measurements; give more time with --for.", unit)
    if expected is None:
        told = f"{name}: {_told(measured)} {unit}, and the baseline has no such rate; make a new one with --baseline."
        return Finding(name, UNKNOWN, told, unit, measured)
    word = word_of(measured, expected)
    made = f" of {source}" if source else ""
    what = f"{name}: {_told(measured)} {unit}, where the baseline{made} has {_told(expected)}"
    if word == LOW:
        share = measured.middle / expected.middle
        told = f"{what}: low, {share:.0%} of it."
    elif word == UNKNOWN:
        told = f"{what}: the measurements differ too much to judge; give more time with --for."
    else:
        told = f"{what}: fine."
    return Finding(name, word, told, unit, measured, expected)


def compared_cards(found: Mapping[str, float], expected: Mapping[str, float]) -> list[Finding]:
    """Return the judgement of each network card of the baseline by the rate of its link, in Gbit/s."""
    judged = []
    for name, rate in sorted(expected.items()):
        now = found.get(name, 0.0)
        if now <= 0:
            word, told = LOW, f"{name}: the card is missing or has no link; the baseline has {rate:g} Gbit/s."
        elif now < rate:
            word, told = LOW, f"{name}: the link has {now:g} Gbit/s, where the baseline has {rate:g}: low."
        else:
            word, told = FINE, f"{name}: the link has {now:g} Gbit/s: fine."
        judged.append(Finding(name, word, told, "Gbit/s", Interval(now, now), Interval(rate, rate)))
    return judged


def confirmed(
    first: Sequence[Finding], again: Sequence[Finding], other_share: float, most_share: float
) -> list[Finding]:
    """Return the judgement after a second measurement: low is only what was low both times, and not by other work.

    Args:
        first: the judgement of the first measurement.
        again: the judgement of the second one; empty if there was none.
        other_share: the share of all processors that other programs used.
        most_share: with more of that, a low rate may be theirs.
    """
    later = {one.name: one for one in again}
    return [_confirmed(one, later.get(one.name, one), other_share, most_share) for one in first]


def _confirmed(one: Finding, last: Finding, other_share: float, most_share: float) -> Finding:
    for word in (WRONG, FINE):
        if (found := next((each for each in (last, one) if each.word == word), None)) is not None:
            return found
    if {one.word, last.word} != {LOW}:
        return next(each for each in (last, one) if each.word == UNKNOWN)
    if other_share > most_share and not _is_beyond_load(last, other_share):
        because = "Other programs may be the cause, so this could not be judged."
        return replace(last, word=UNKNOWN, sentence=f"{last.sentence} {because}")
    return last


def _is_beyond_load(finding: Finding, other_share: float) -> bool:
    """Return whether a rate is lower than other programs can explain that used this share of the processors.

    Ranks and threads get the rest of the processors, and wait for the one that got the least of them.
    """
    if finding.measured is None or finding.expected is None or other_share > _MOST_EXPLAINED:
        return False
    return finding.measured.high < finding.expected.low * (1 - MARGIN) * (1 - other_share) ** _LOAD_POWER


def overall(findings: Sequence[Finding]) -> str:
    """Return the word for all findings together; nothing that was judged is no fine machine."""
    words = {one.word for one in findings}
    return next((word for word in _WORST_FIRST if word in words), UNKNOWN)


def _told(interval: Interval) -> str:
    return f"{interval.low:.4g} to {interval.high:.4g}"
