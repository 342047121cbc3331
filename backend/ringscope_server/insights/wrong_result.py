"""Wrong results: checks that found wrong elements, each of which a rank reports as soon as it finds them. Pure."""

from collections.abc import Iterable

from ringscope.contracts.record import Check
from ringscope.contracts.words.units import format_size, plural
from ringscope_server.insights.kinds import Finding


def of_checks(checks: Iterable[Check], node: str) -> list[Finding]:
    """Return one finding for each rank of a node that found any, with the first of its checks."""
    first: dict[int, Check] = {}
    for check in checks:
        first.setdefault(check.rank, check)
    return [_finding(check, node) for check in first.values()]


def _finding(check: Check, node: str) -> Finding:
    place = "in place" if check.in_place else "out of place"
    message = (
        f"Rank {check.rank} on node {node} has a wrong result: {plural(check.wrong, 'element')} after {check.op} by "
        f"{check.algorithm} ({place}) of {format_size(check.size_bytes)}; element {check.first_index} is {check.got} "
        f"and should be {check.want}."
    )
    evidence = check.model_dump(exclude={"type", "rank", "time_ns"})
    return Finding("wrong_result", message, check.rank, node, evidence)
