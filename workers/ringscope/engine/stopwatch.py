"""Record times of a traced run: clock readings around the calls of an execution loop that is unaware of it.

The loop gets its calls as arguments, so that the same loop runs with and without a stopwatch.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

from ringscope.contracts.traced import RankTrace, Span, TracedTransfer


class Stopwatch:
    """Runs from its creation on."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self._started_at_ns = time.time_ns()
        self._origin_ns = time.perf_counter_ns()

    def now_ns(self) -> int:
        """Return the nanoseconds since the start."""
        return time.perf_counter_ns() - self._origin_ns

    def timing(self, call: Callable[..., Any]) -> Callable[..., None]:
        """Wrap a call, so that it adds its begin and end to ``spans``."""

        def timed(*arguments: Any) -> None:
            begin_ns = self.now_ns()
            call(*arguments)
            self.spans.append(Span(begin_ns, self.now_ns()))

        return timed

    def trace(self, duration_ns: int, transfers: Sequence[TracedTransfer]) -> RankTrace:
        """Return the trace."""
        return RankTrace(self._started_at_ns, duration_ns, transfers)
