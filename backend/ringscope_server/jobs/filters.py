"""The filter of a job list, as SQL that finds a page by an index if there is one.

By state, user, both or without a filter, the cost of a page is the rows that it shows; with a time, the jobs that ended
since. All other filters search from the newest job until the page is full, so a rare match costs a scan of all jobs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import ColumnElement, Select, or_, select, union_all

from ringscope.contracts.words.units import is_whole_number
from ringscope_server.db.models import Attempt, Job, Member, Node

MAX_ID = 2**63 - 1


@dataclass(frozen=True)
class JobFilter:
    """The conditions for a listed job; None and empty match everything."""

    states: Sequence[str] = ()
    kind: str | None = None
    user: str | None = None
    labels: dict[str, str] = field(default_factory=dict)
    schedule_id: int | None = None
    text: str | None = None  # a part of the name or of the note, or the number
    collective: str | None = None
    algorithm: str | None = None  # one of a benchmark's algorithms, or the one that sums in training
    node: str | None = None  # a node name: an attempt had a rank there
    finished_after: datetime | None = None
    judgement: str | None = None  # the stored one, of benchmarks and imported jobs that succeeded

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return all conditions except the states, which ``newest`` looks up one by one."""
        found: list[ColumnElement[bool]] = []
        if self.kind is not None:
            found.append(Job.kind == self.kind)
        if self.user is not None:
            found.append(Job.user == self.user)
        if self.schedule_id is not None:
            found.append(Job.schedule_id == self.schedule_id)
        found += [Job.labels[key].as_string() == value for key, value in self.labels.items()]
        if self.collective is not None:
            found.append(Job.collective == self.collective)
        if self.algorithm is not None:
            found.append(("," + Job.algorithms + ",").contains(f",{self.algorithm},", autoescape=True))
        if self.judgement is not None:
            found.append(Job.judgement == self.judgement)
        if self.finished_after is not None:
            found.append(Job.id.in_(_ids_ended_since(self.finished_after)))
        if self.node is not None:
            found.append(Job.id.in_(_ids_on(self.node)))
        if self.text:
            parts = [column.icontains(self.text, autoescape=True) for column in (Job.name, Job.note)]
            found.append(or_(*parts, *_numbered(self.text)))
        return found


EVERY_JOB = JobFilter()


def newest(ids: Select[int], states: Sequence[str], limit: int) -> Select[int]:
    """Return the newest of the jobs that ``ids`` selects and that are in one of the states.

    Each state is read along its index in the order of the ids. One query for all states would sort them first, and
    nearly all jobs have ended.
    """
    if not states:
        return ids.order_by(Job.id.desc()).limit(limit)
    branches = [ids.where(Job.state == state).order_by(Job.id.desc()).limit(limit).subquery() for state in states]
    return select(union_all(*(select(branch.c.id) for branch in branches)).subquery().c.id)


def _ids_ended_since(time: datetime) -> Select[int]:
    # This is a query of its own: with an order SQLite would use the order's index and pass every job of the history.
    return select(Job.id).where(Job.finished_at >= time)


def _ids_on(node: str) -> Select[int]:
    members = select(Attempt.job_id).join(Member, Member.attempt_id == Attempt.id)
    return members.join(Node, Node.id == Member.node_id).where(Node.name == node)


def _numbered(text: str) -> list[ColumnElement[bool]]:
    number = text.removeprefix("#")
    is_id = is_whole_number(number) and len(number) < len(str(MAX_ID))
    return [Job.id == int(number)] if is_id else []
