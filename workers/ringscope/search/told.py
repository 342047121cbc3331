"""A search as an attempt has told it: how far it is, and its verdict so far. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ringscope.contracts.errors import UserError
from ringscope.contracts.search.record import SearchBegin, SearchPlan, SearchRun, SearchTold
from ringscope.search.candidates import LeftOut
from ringscope.search.rounds import Rounds
from ringscope.search.verdict import Verdict, verdict


@dataclass
class ToldSearch:
    """The records of one attempt in their order; ``running`` is the run that has begun and not ended."""

    budget_seconds: float
    plan: SearchPlan | None = None
    runs: list[SearchRun] = field(default_factory=list)
    running: SearchBegin | None = None

    @classmethod
    def of(cls, told: Iterable[SearchTold], budget_seconds: float) -> "ToldSearch":
        """Read the records; those of candidates that the plan does not name are left out."""
        found = cls(budget_seconds)
        for each in told:
            if isinstance(each, SearchPlan):
                found.plan = each
            elif found.plan is None or each.candidate not in found.plan.candidates:
                continue
            elif isinstance(each, SearchBegin):
                found.running = each
            else:
                found.runs.append(each)
                found.running = None
        return found

    @property
    def rounds(self) -> Rounds:
        """Return the state of the search."""
        return Rounds(self.plan.candidates if self.plan else [], self.runs, self.budget_seconds)

    @property
    def left_out(self) -> list[LeftOut]:
        """Return the candidates that cannot run."""
        return [LeftOut(each.name, each.reason) for each in self.plan.left_out] if self.plan else []

    def verdict(self) -> Verdict:
        """Return the verdict; before the end it says how the candidates stand."""
        return verdict(self.rounds, self.left_out)

    def fault(self) -> str:
        """Return a sentence on why this is no complete search; empty if it is one."""
        if self.plan is None:
            return "The ranks ended, but the search's candidates were not told."
        try:
            following = self.rounds.next_run()
        except UserError:
            return ""  # the ranks report it
        if following is None:
            return ""
        name, number = following
        return f"The ranks ended, but the run of {name} in round {number + 1} of the search was not told."
