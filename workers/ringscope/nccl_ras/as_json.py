"""A RAS report in JSON, also of 2.28, whose JSON misses commas. Pure."""

import json
import re
from typing import Any

from ringscope.nccl_ras.model import Communicator, Place, Report

# A value ends a line, and the next line begins another without a comma between them; or a comma before the end.
_MISSING_COMMA = re.compile(r'(?<=[}\]"0-9el])(\s*\n\s*)(?=["{\[])')
_EXTRA_COMMA = re.compile(r",(?=\s*[}\]])")


class BrokenError(ValueError):
    """The text is no JSON, also after repair; the message names the line."""


def read_json(text: str) -> Report:
    """Return the report of a JSON text; BrokenError if it cannot be read."""
    value, is_repaired = _loaded(text)
    report = Report(is_repaired=is_repaired)
    if isinstance(version := value.get("nccl_version"), str):
        report.version = version[:40]
    report.timeouts = _whole(_object(value.get("ras")).get("timeouts_count")) or 0
    for told in _objects(value.get("communicators")):
        report.rows += 1
        report.communicators.append(_communicator(told))
    return report


def _loaded(text: str) -> tuple[dict[str, Any], bool]:
    begin = text.find("{")
    text = text[max(begin, 0) :]
    try:
        value, is_repaired = json.loads(text), False
    except RecursionError:
        raise BrokenError("line 1: the JSON is nested beyond any report") from None
    except ValueError:
        try:
            value, is_repaired = json.loads(_EXTRA_COMMA.sub("", _MISSING_COMMA.sub(r",\1", text))), True
        except json.JSONDecodeError as error:
            raise BrokenError(f"line {error.lineno}: the JSON is broken ({error.msg.lower()})") from None
        except (ValueError, RecursionError):
            raise BrokenError("line 1: the JSON is broken") from None
    if not isinstance(value, dict) or "communicators" not in value:
        raise BrokenError("line 1: the JSON has no communicators")
    return value, is_repaired


def _communicator(told: dict[str, Any]) -> Communicator:
    name = told.get("hash")
    one = Communicator(name[:80] if isinstance(name, str) else "", _whole(told.get("size")), dead=set())
    for rank in _objects(told.get("ranks")):
        place = _place(rank)
        if place is None:
            continue
        for operation, count in _object(rank.get("collective_counts")).items():
            number = _whole(count)
            if number is not None:
                counted = one.counts.setdefault(operation[:40], {})
                counted[number] = counted.get(number, 0) + 1
                one.ranks_of.setdefault((operation[:40], number), []).append(place.rank)
        one.failed += _failures(place, _object(rank.get("status")))
    for rank in _objects(told.get("missing_ranks")):
        place = _place(rank)
        if place is not None:
            one.missing.append(place)
            if one.dead is not None and _object(rank.get("status")).get("considered_dead") is True:
                one.dead.add(place.rank)
    return one


def _failures(place: Place, status: dict[str, Any]) -> list[str]:
    found = []
    if _whole(status.get("async_error")):
        found.append(f"{place} has the asynchronous error {status['async_error']}")
    if status.get("abort_flag") is True:
        found.append(f"{place} is being aborted")
    elif status.get("destroy_flag") is True or status.get("finalize_called") is True:
        found.append(f"{place} is being destroyed")
    return found


def _place(told: dict[str, Any]) -> Place | None:
    rank = _whole(told.get("rank"))
    if rank is None:
        return None
    gpu, host = _whole(told.get("cuda_dev")), told.get("host")
    return Place(
        rank, None if gpu is None else str(gpu), _whole(told.get("pid")), host[:255] if isinstance(host, str) else None
    )


def _object(told: Any) -> dict[str, Any]:
    return told if isinstance(told, dict) else {}


def _objects(told: Any) -> list[dict[str, Any]]:
    return [one for one in told if isinstance(one, dict)] if isinstance(told, list) else []


def _whole(told: Any) -> int | None:
    return told if isinstance(told, int) and not isinstance(told, bool) and abs(told) < 2**63 else None
