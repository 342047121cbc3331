"""The knowledge about one attempt from look to look, and the conclusions from new data. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ringscope.contracts import record
from ringscope.cost.traces.operation_trace import Clock
from ringscope_server.insights import late_rank, slow_link
from ringscope_server.insights.diverged import RisingLoss
from ringscope_server.insights.hang import Progress
from ringscope_server.insights.hysteresis import Hysteresis
from ringscope_server.insights.kinds import Finding, Key
from ringscope_server.insights.limits import Limits
from ringscope_server.insights.low_bandwidth import Comparison
from ringscope_server.insights.memory_growth import MemoryGrowth
from ringscope_server.insights.slow_hops import SlowHops
from ringscope_server.insights.step_windows import CROWDED_MIN_US, MIN_US, Block, RankStep, StepWindow, StepWindows
from ringscope_server.insights.stragglers import straggler
from ringscope_server.insights.stragglers.causes import MeanStep, mean_steps, typical_steps
from ringscope_server.insights.windows import Sample, Window, Windows, median_of
from ringscope_server.results.baseline import Baseline, Row

CROWDED_SHARE = (
    0.3  # the median rank's share of waiting for a core above which the kernel influences which rank comes late
)

MIN_WINDOWS_OF_STEPS = 2  # windows of pulses in which a straggler is seen in steps before it is reported


@dataclass
class News:
    """The data since the last look: pulses by rank, and rows.

    Args:
        now: in seconds since 1970, by the server's clock.
        traces: the ranks' reports on traced operations, with ``clocks`` by rank; ``SlowHops.note`` takes them.
    """

    now: float
    is_running: bool
    samples: Mapping[int, Sample]
    steps: Sequence[tuple[Block, int, RankStep]] = ()
    rows: Sequence[Row] = ()
    traces: Sequence[record.Trace] = ()
    clocks: Mapping[int, Clock] = field(default_factory=dict)


@dataclass
class Judgement:
    """The conclusions: insights to open, those that are over, and the hang for which the gang must end."""

    opened: list[Finding] = field(default_factory=list)
    over: set[Key] = field(default_factory=set)
    hang: Finding | None = None

    def without(self, active: Collection[Key]) -> "Judgement":
        """Return the same without the insights that are active already."""
        return Judgement([found for found in self.opened if found.key not in active], self.over, self.hang)


class Watch:
    """The watch over one attempt.

    Args:
        ranks: of the gang.
        limits: of the job.
        expected: the expected values of the sweep's rows, as far as they are known.
        root: of the collective, if it has one.
    """

    def __init__(self, ranks: int, limits: Limits, expected: Baseline, root: int | None = None) -> None:
        self._ranks = ranks
        self._root = root
        self._limits = limits
        self._progress = Progress()
        self._windows = Windows(ranks)
        self._steps = StepWindows(ranks)
        self._comparison = Comparison(expected)
        self.hops = SlowHops(ranks)
        self._slow_hops: set[Key] = set()
        self._of_windows, self._of_steps, self._of_memory = Hysteresis(), Hysteresis(), Hysteresis()
        self._memory = MemoryGrowth()
        self._loss = RisingLoss()
        self._queued_share: float | None = None
        self._newest: Sequence[Window] = ()
        self._newest_steps: Mapping[int, MeanStep] = {}
        self._windows_made, self._are_heard = 0, False
        self._first_seen: dict[Key, int] = {}  # how many windows had been made before a straggler was seen in steps

    def look(self, news: News, active: Collection[Key]) -> Judgement:
        """Judge the new data; ``active`` are the insights that the job has."""
        judgement = Judgement()
        self._newest_steps = mean_steps(step for _, _, step in news.steps) or self._newest_steps
        self._judge_windows(news, active, judgement)
        for full in self._steps.add(news.steps):
            self._judge_steps(full, active, judgement)
        self._judge_newest_steps(news, judgement)
        self._judge_hops(judgement)
        if (grown := self._memory.add(news.samples)) is not None:
            judgement.opened += _settle(self._of_memory, grown, {"memory_growth"}, active, judgement)
        if (risen := self._loss.add(news.steps)) is not None:
            judgement.opened.append(risen)
        if (low := self._comparison.judge(news.rows)) is not None:
            judgement.opened.append(low)
        if news.is_running:
            self._judge_progress(news, active, judgement)
        return judgement

    def _judge_windows(self, news: News, active: Collection[Key], judgement: Judgement) -> None:
        """Judge how the ranks spent their time since the last such look."""
        windows = self._windows.add(news.samples)
        self._are_heard = any(sample.pulse.running_us is not None for sample in news.samples.values())
        if windows:
            self._newest, self._windows_made = windows, self._windows_made + 1
            self._queued_share = median_of([each.queued for each in windows if each.queued is not None])
            others = {key for key in active if key not in self._of_steps.told}
            found = straggler.of_windows(windows, self._root, self._newest_steps)
            judgement.opened += _settle(self._of_windows, found, {"straggler"}, others, judgement)

    def _judge_hops(self, judgement: Judgement) -> None:
        """Judge all operations that were traced so far; a finding that later ones refute is over."""
        found = self.hops.judge(self._min_us)
        judgement.opened += found
        keys = {finding.key for finding in found}
        judgement.over |= self._slow_hops - keys
        self._slow_hops = keys

    def _judge_steps(self, full: StepWindow, active: Collection[Key], judgement: Judgement) -> None:
        means = mean_steps(each for step in full.steps for each in step)
        if any(mean.own_us for mean in means.values()):
            own = self._of_steps.told & set(active)
            found = straggler.of_steps(means, self._newest)
            self._first_seen = {each.key: self._first_seen.get(each.key, self._windows_made) for each in found}
            opened = _settle(self._of_steps, found, {"straggler"}, own, judgement)
            judgement.opened += [each for each in opened if self._is_lasting(each.key)]
        findings, judged = late_rank.of_window(full, self._min_us), {"late_rank"}
        if not self.hops.judge(self._min_us):  # findings of slow hops are more certain
            findings += slow_link.of_window(full, self._min_us, self._root)
            judged.add("slow_link")
        judgement.opened += _settle(self._of_steps, findings, judged, active, judgement)

    def _judge_newest_steps(self, news: News, judgement: Judgement) -> None:
        """Judge the newest typical steps: a slow loader is certain at once."""
        typical = typical_steps([step for _, _, step in news.steps])
        if len(typical) == self._ranks:
            found = straggler.of_typical_steps(typical, self._newest)
            self._of_steps.told.update(each.key for each in found)
            judgement.opened += found

    def _is_lasting(self, key: Key) -> bool:
        """Return whether a finding of steps has been there for as long as it takes to see how the rank spent its time:
        many short steps end between two pulses.
        """
        return not self._are_heard or self._windows_made - self._first_seen[key] >= MIN_WINDOWS_OF_STEPS

    @property
    def _min_us(self) -> float:
        """The least difference between ranks' times that counts; it is larger on crowded machines."""
        is_crowded = self._queued_share is None or self._queued_share > CROWDED_SHARE
        return CROWDED_MIN_US if is_crowded else MIN_US

    def _judge_progress(self, news: News, active: Collection[Key], judgement: Judgement) -> None:
        self._progress.note(news.samples)
        found = self._progress.judge(self._ranks, self._limits, news.now)
        if found is not None:
            judgement.opened.append(found)
            judgement.hang = found if found.kind == "hang" else None
        judgement.over |= {key for key in active if key[0] == "desync" and (found is None or found.kind != "desync")}


def _settle(
    hysteresis: Hysteresis, findings: list[Finding], judged: set[str], active: Collection[Key], judgement: Judgement
) -> list[Finding]:
    """Add to the judgement what is over; return what is to be opened."""
    opened = hysteresis.open_now(findings, judged)
    judgement.over |= hysteresis.over_now(active, findings, judged)
    return opened
