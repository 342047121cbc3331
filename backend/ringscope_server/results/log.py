"""The output of a job: a page of it, its length, and all of it as a file."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy import func, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import LogLine
from ringscope_server.db.regex import Pattern
from ringscope_server.results.rows import LOG_COLUMNS
from ringscope_server.results.views import LogLine as LogLineView

LINES_PER_PAGE = 500
_BATCH_LINES = 2_000
Read = Callable[[], AbstractAsyncContextManager[AsyncSession]]

Level = Literal["warning", "error"]
# Each library writes the level in its own way, so it is recognised by words: "NCCL WARN", "ValueError: ...".
_ERRORS = "[a-z]*error|[a-z]*exception|traceback|fatal|critical|panic|abort(?:ed|ing)?|segmentation fault"
_ERRORS += "|bad termination"  # mpiexec prints it
_LEVELS: dict[Level, str] = {
    "warning": rf"(?i)\b(?:[a-z]*warn(?:ing)?|{_ERRORS})\b",
    "error": rf"(?i)\b(?:{_ERRORS})\b",
}


@dataclass(frozen=True)
class LogFilter:
    """A filter for the lines of a job.

    Args:
        stream: stdout, stderr or agent.
        level: the least level, judged by the words of a line.
        text: words that a line must all contain, ignoring case.
        pattern: a regular expression that ``db.regex`` has checked; a part of a line must match.
    """

    job_id: int
    rank: int | None = None
    stream: str | None = None
    level: Level | None = None
    text: str = ""
    pattern: str = ""

    @property
    def is_search(self) -> bool:
        """Return whether many lines may have to be read to find one that matches."""
        return bool(self.text or self.pattern or self.level) or self.rank is not None or self.stream is not None

    def of(self, query: Any) -> Any:
        """Return the query with these conditions."""
        query = query.where(LogLine.job_id == self.job_id)
        if self.rank is not None:
            query = query.where(LogLine.rank == self.rank)
        if self.stream is not None:
            query = query.where(LogLine.stream == self.stream)
        for pattern in (self.level and _LEVELS[self.level], self.pattern):
            if pattern:
                query = query.where(LogLine.text.regexp_match(literal(pattern, Pattern)))
        for word in self.text.split():
            query = query.where(LogLine.text.icontains(word, autoescape=True))
        return query


async def lines(session: AsyncSession, wanted: LogFilter, limit: int, after: int | None) -> list[LogLineView]:
    """Return a page in the order in which the lines were stored."""
    query = wanted.of(select(LogLine))
    if after is not None:
        query = query.where(LogLine.id > after)
    found = (await session.scalars(query.order_by(LogLine.id).limit(limit))).all()
    numbers = await _numbers(session, wanted.job_id, [row.id for row in found])
    return [log_line_view(row, numbers[row.id]) for row in found]


async def _numbers(session: AsyncSession, job_id: int, ids: Sequence[int]) -> dict[int, int]:
    """Return the number of each of these lines among all lines of the job, from 1; ``ids`` ascend."""
    if not ids:
        return {}
    of_job = LogLine.job_id == job_id
    before = await session.scalar(select(func.count()).where(of_job, LogLine.id < ids[0])) or 0
    number = func.row_number().over(order_by=LogLine.id).label("number")
    span = select(LogLine.id, number).where(of_job, LogLine.id.between(ids[0], ids[-1])).subquery()
    rows = await session.execute(select(span).where(span.c.id.in_(ids)))
    return {line_id: before + place for line_id, place in rows}


async def page_ends(session: AsyncSession, wanted: LogFilter) -> tuple[list[int], int, int | None]:
    """Return the id of the last line of each full page, the number of lines, and the id of the last one."""
    number = func.row_number().over(order_by=LogLine.id).label("number")
    numbered = wanted.of(select(LogLine.id, number)).subquery()
    ends = select(numbered.c.id).where(numbered.c.number % LINES_PER_PAGE == 0).order_by(numbered.c.id)
    count, last = (await session.execute(wanted.of(select(func.count(), func.max(LogLine.id))))).one()
    return list(await session.scalars(ends)), count, last


class LogPosition(NamedTuple):
    """The number of a line among the matching ones, from 1, and the id of the line before it, 0 for none."""

    line: int
    after_id: int


async def position_at(
    session: AsyncSession, wanted: LogFilter, ends: Sequence[int], time_ns: int
) -> LogPosition | None:
    """Return the last line that was printed by this time; None if the first one is later.

    ``ends`` are those of the full pages. A binary search by the times of their last lines finds one page, so that few
    lines of a long log are read. A rank's lines are stored in the order of time; those of several nodes in the order in
    which they arrived, which is nearly the same.
    """
    page, pages = 0, len(ends)
    while page < pages:
        middle = (page + pages) // 2
        ended_ns = await session.scalar(select(LogLine.time_ns).where(LogLine.id == ends[middle]))
        if ended_ns is not None and ended_ns <= time_ns:
            page = middle + 1
        else:
            pages = middle
    # It starts at the last line of the page before, which is the answer if the whole page is later.
    start = max(1, page * LINES_PER_PAGE)
    query = wanted.of(select(LogLine.id, LogLine.time_ns))
    if page > 0:
        query = query.where(LogLine.id >= ends[page - 1])
    rows = (await session.execute(query.order_by(LogLine.id).limit(LINES_PER_PAGE + 1))).all()
    found = next((i for i in reversed(range(len(rows))) if rows[i].time_ns <= time_ns), None)
    if found is None:
        return None
    return LogPosition(start + found, rows[found].id - 1)


async def last_id(session: AsyncSession, wanted: LogFilter) -> int:
    """Return the id of the newest line; 0 if there is none."""
    return await session.scalar(wanted.of(select(func.max(LogLine.id)))) or 0


async def newest_ids(session: AsyncSession, job_id: int, lines: int) -> list[int]:
    """Return the ids of the lines of a job that were stored last, in their order."""
    newest = select(LogLine.id).where(LogLine.job_id == job_id).order_by(LogLine.id.desc()).limit(lines)
    return [*await session.scalars(newest)][::-1]


async def text(read: Read, wanted: LogFilter, last: int) -> AsyncIterator[str]:
    """Yield all lines up to ``last`` with their time (UTC) and source; no transaction stays open for long, and little
    is in memory.
    """
    after = 0
    while after < last:
        query = wanted.of(select(LogLine)).where(LogLine.id > after, LogLine.id <= last)
        async with read() as session:
            batch = (await session.scalars(query.order_by(LogLine.id).limit(_BATCH_LINES))).all()
        if not batch:
            return
        yield "".join(map(_line, batch))
        after = batch[-1].id


def log_line_view(row: LogLine, number: int | None = None) -> LogLineView:
    """Return a line as the API shows it."""
    return LogLineView.model_validate(row, from_attributes=True).model_copy(update={"number": number})


def views_of_new(ids: Iterable[int], rows: Iterable[tuple[Any, ...]]) -> Iterator[LogLineView]:
    """Return lines for the live stream from rows with the columns of LOG_COLUMNS, which were just validated."""
    for line_id, row in zip(ids, rows, strict=False):
        yield LogLineView.model_construct(id=line_id, **dict(zip(LOG_COLUMNS[2:], row[2:], strict=True)))


def _line(row: LogLine) -> str:
    seconds, nanoseconds = divmod(row.time_ns, 1_000_000_000)
    time = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    who = row.stream if row.rank is None else f"rank {row.rank}"
    beginning = f"{time}.{nanoseconds:09d}Z {row.node} {who}: "
    return "".join(f"{beginning}{part}\n" for part in row.text.splitlines() or [""])  # a record may have several
