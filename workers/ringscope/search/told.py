"""A search as an attempt has told it: how far it is, and its verdict so far. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ringscope.contracts.errors import UserError
from ringscope.contracts.search.record import SearchBegin, SearchPlan, SearchRun, SearchTarget, SearchTold
from ringscope.contracts.search.spec import StrategySearchSpec
from ringscope.search.candidates import LeftOut
from ringscope.search.rounds import Rounds
from ringscope.search.targets import next_target, rounds_share
from ringscope.search.verdict import Verdict, verdict


@dataclass
class ToldSearch:
    """The records of one attempt in their order; ``running`` is the run that has begun and not ended."""

    spec: StrategySearchSpec
    plan: SearchPlan | None = None
    runs: list[SearchRun] = field(default_factory=list)
    targets: list[SearchTarget] = field(default_factory=list)
    running: SearchBegin | None = None

    @classmethod
    def of(cls, told: Iterable[SearchTold], spec: StrategySearchSpec) -> "ToldSearch":
        """Read the records; those of candidates that the plan does not name are left out."""
        found = cls(spec)
        for each in told:
            if isinstance(each, SearchPlan):
                found.plan = each
            elif found.plan is None or each.candidate not in found.plan.candidates:
                continue
            elif isinstance(each, SearchBegin):
                found.running = each
            else:
                found.running = None
                if isinstance(each, SearchRun):
                    found.runs.append(each)
                else:
                    found.targets.append(each)
        return found

    @property
    def rounds(self) -> Rounds:
        """Return the state of the search."""
        names = self.plan.candidates if self.plan else []
        return Rounds(names, self.runs, self.spec.budget_seconds, rounds_share(self.spec))

    @property
    def spent_seconds(self) -> float:
        """Return the time of all runs."""
        return sum(run.seconds for run in self.runs) + sum(run.seconds for run in self.targets)

    def next_target(self) -> tuple[str, int] | None:
        """Return the candidate that runs to the target next, and for how many epochs; None if none does, or not yet."""
        rounds = self.rounds
        if self.spec.target_accuracy is None or rounds.next_run() is not None:
            return None
        return next_target(rounds.left, self.targets, self.spec.budget_seconds - self.spent_seconds)

    @property
    def left_out(self) -> list[LeftOut]:
        """Return the candidates that cannot run."""
        return [LeftOut(each.name, each.reason) for each in self.plan.left_out] if self.plan else []

    def verdict(self) -> Verdict:
        """Return the verdict; before the end it says how the candidates stand."""
        return verdict(self.rounds, self.left_out, self.targets, self.spec.target_accuracy)

    def fault(self) -> str:
        """Return a sentence on why this is no complete search; empty if it is one."""
        if self.plan is None:
            return "The ranks ended, but the search's candidates were not told."
        try:
            following, to_target = self.rounds.next_run(), self.next_target()
        except UserError:
            return ""  # the ranks report it
        if following is not None:
            what = f"the run of {following[0]} in round {following[1] + 1} of the search"
        elif to_target is not None:
            what = f"the run of {to_target[0]} to the target accuracy, of {to_target[1]} epochs,"
        else:
            return ""
        return f"The ranks ended, but {what} was not told."
