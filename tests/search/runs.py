"""Runs of candidates as their ranks would report them."""

from collections.abc import Mapping, Sequence

from ringscope.contracts.search.record import SearchRun


def run(name: str, number: int, step_us: float, **fields: object) -> SearchRun:
    """A run with blocks of slightly different lengths; computing takes what is not waited for."""
    blocks_us = [step_us * (1 + 0.01 * (block - 1)) for block in range(3)]
    exposed_us = float(str(fields.pop("exposed_us", 0.1 * step_us)))
    known = {"candidate": name, "round": number, "samples": 64, "blocks_us": blocks_us, "seconds": 1.0}
    parts = {"compute_us": step_us - exposed_us, "exposed_us": exposed_us, "exchanged_bytes": 1 << 20}
    return SearchRun.model_validate(known | parts | fields)


def of_rounds(steps_us: Mapping[str, Sequence[float]]) -> list[SearchRun]:
    """Runs of all candidates, round by round; a candidate with fewer times has left."""
    rounds = max(len(times) for times in steps_us.values())
    return [
        run(name, number, times[number])
        for number in range(rounds)
        for name, times in steps_us.items()
        if number < len(times)
    ]
