"""The rule for when a finding becomes an insight and when that is over: after several windows in a row, either way.
Pure.
"""

from collections.abc import Collection, Iterable

from ringscope_server.insights.kinds import Finding, Key

CLEAR_WINDOWS = 5


class Hysteresis:
    """Counts in how many windows in a row each finding was there, or was not."""

    def __init__(self) -> None:
        self.told: set[Key] = set()  # the keys of everything that ever became an insight here
        self._found: dict[Key, int] = {}
        self._clear: dict[Key, int] = {}

    def open_now(self, findings: Iterable[Finding], judged: Collection[str]) -> list[Finding]:
        """Return the findings that have been there for long enough, after a window in which these kinds were judged."""
        by_key = {finding.key: finding for finding in findings}
        self._found = {key: count for key, count in self._found.items() if key in by_key or key[0] not in judged}
        for key in by_key:
            self._found[key] = self._found.get(key, 0) + 1
        long_enough = [finding for key, finding in by_key.items() if self._found[key] >= finding.windows]
        self.told.update(finding.key for finding in long_enough)
        return long_enough

    def over_now(self, active: Collection[Key], findings: Iterable[Finding], judged: Collection[str]) -> set[Key]:
        """Return the active insights that have not been found for long enough."""
        there = {finding.key for finding in findings}
        for key in active:
            if key[0] in judged:
                self._clear[key] = 0 if key in there else self._clear.get(key, 0) + 1
        self._clear = {key: count for key, count in self._clear.items() if key in active}
        return {key for key, count in self._clear.items() if count >= CLEAR_WINDOWS}
