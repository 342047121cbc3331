"""The judgement of a document, made once more from the facts, points and references that it has. Pure."""

from collections.abc import Mapping
from typing import Any

from ringscope.expected.facts import Facts, Point
from ringscope.expected.judgement import BY_OWN_RUNS, BY_REFERENCES, VERSION, conclude
from ringscope.expected.own_runs import conclude_by_own_runs
from ringscope.expected.references import Reference


def judged_again(document: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the document that the same facts, points and references give; None if no function made it.

    ValueError says in a sentence why it cannot be made.
    """
    if document.get("version") != VERSION:
        raise ValueError(f"it has version {document.get('version')!r}, and this program judges by version {VERSION}.")
    try:
        points = [(_point(size), [reference_of(one) for one in size["references"]]) for size in document["sizes"]]
        if document["basis"] == BY_REFERENCES:
            return conclude(Facts(**document["facts"]), points).document()
        if document["basis"] == BY_OWN_RUNS:
            return conclude_by_own_runs([(point, next(iter(known), None)) for point, known in points]).document()
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError, AssertionError, StopIteration) as error:
        raise ValueError("its facts, points or references are not those of a judgement.") from error
    return None


def _point(size: Mapping[str, Any]) -> Point:
    return Point(int(size["size_bytes"]), bool(size["in_place"]), *_interval(size))


def reference_of(one: Mapping[str, Any]) -> Reference:
    """Return a reference of a document."""
    value, low, high = _interval(one)
    return Reference(one["kind"], int(one["size_bytes"]), value, low, high, one["source"], one["url"], one["date"])


def _interval(told: Mapping[str, Any]) -> tuple[float, float, float]:
    return float(told["busbw_gb_per_s"]), float(told["low_gb_per_s"]), float(told["high_gb_per_s"])
