"""Notices for the other servers on the same database, gathered here until the bus sends them."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple, TypeVar

from pydantic import BaseModel

# A NOTIFY carries less than 8,000 bytes; a number of 19 digits and its comma take 20.
IDS_PER_NOTICE = 100

T = TypeVar("T")
RowTable = Literal["measurements", "steps", "log"]


class Rows(NamedTuple):
    """New rows of one table of one job: all rows between two ids (both included)."""

    job_id: int
    table: RowTable
    first_id: int
    last_id: int


class Notice(BaseModel):
    """One message between servers: which rows changed, without their content."""

    server: str
    jobs: list[int] = []
    nodes: list[int] = []
    rows: list[Rows] = []
    has_work: bool = False
    has_ended_tokens: bool = False
    has_gap: bool = False


class Notices:
    """The ids that the bus has not sent yet; closed, and so always empty, on a single server."""

    def __init__(self) -> None:
        self._is_open = False
        self._jobs: set[int] = set()
        self._nodes: set[int] = set()
        self._rows: list[Rows] = []
        self._has_work = False
        self._has_ended_tokens = False
        self._has_gap = False
        self._filled = asyncio.Event()

    @property
    def is_open(self) -> bool:
        """Return whether there may be other servers."""
        return self._is_open

    def open(self) -> None:
        """Open the notices, because a sender now takes them out."""
        self._is_open = True

    def put(self, jobs: Iterable[int] = (), nodes: Iterable[int] = ()) -> None:
        """Add jobs and nodes that changed."""
        if self._is_open:
            self._jobs.update(jobs)
            self._nodes.update(nodes)
            self._mark()

    def put_rows(self, job_id: int, table: RowTable, ids: Sequence[int]) -> None:
        """Add new rows, in the order of their ids."""
        if self._is_open and ids:
            self._rows.append(Rows(job_id, table, ids[0], ids[-1]))
            self._mark()

    def wake(self) -> None:
        """Ask the other servers' schedulers to look now."""
        if self._is_open:
            self._has_work = True
            self._mark()

    def tokens_ended(self) -> None:
        """Ask the other servers to drop what they remember of tokens."""
        if self._is_open:
            self._has_ended_tokens = True
            self._mark()

    def gap(self) -> None:
        """Note that notices may have been lost with the server that was to send them."""
        if self._is_open:
            self._has_gap = True
            self._mark()

    async def filled(self) -> None:
        """Wait until there is a notice to take."""
        await self._filled.wait()

    def take(self, server: str) -> list[Notice]:
        """Take all notices so far, split into messages that are small enough."""
        jobs, nodes, rows = iter(sorted(self._jobs)), iter(sorted(self._nodes)), iter(self._rows)
        notices = [Notice(server=server, has_ended_tokens=True)] if self._has_ended_tokens else []
        notices += [Notice(server=server, has_gap=True)] if self._has_gap else []
        notices += [Notice(server=server, has_work=True)] if self._has_work else []
        notices += [Notice(server=server, jobs=part) for part in _parts(jobs, IDS_PER_NOTICE)]
        notices += [Notice(server=server, nodes=part) for part in _parts(nodes, IDS_PER_NOTICE)]
        notices += [Notice(server=server, rows=part) for part in _parts(rows, IDS_PER_NOTICE // 2)]
        self._jobs, self._nodes, self._rows = set(), set(), []
        self._has_work = self._has_ended_tokens = self._has_gap = False
        self._filled.clear()
        return notices

    def _mark(self) -> None:
        self._filled.set()


def _parts(items: Iterator[T], size: int) -> Iterator[list[T]]:
    while part := list(islice(items, size)):
        yield part
