"""The newest steps of each rank from the table, in a few numbers."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import case, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.words.devices import SIMULATED
from ringscope_server.db.models import Step
from ringscope_server.results.step_blocks import RECENT_STEPS, StepBlock, StepKind, known_bus_factor, slowest
from ringscope_server.results.views import NewestSteps

# A rank reports up to 1,000 steps at a time, one rank after another.
WINDOW_ROWS = 10_000
MOST_RANKS = 16  # ranks that are shown; nobody can watch more

_KIND = (Step.op, Step.algorithm, Step.transport, Step.in_place, Step.bytes)


async def newest(session: AsyncSession, job_id: int, attempt_id: int | None, ranks: int) -> NewestSteps:
    """Return the newest steps of each of the job's ranks, from the attempt's newest rows."""
    span = await newest_ids(session, attempt_id, WINDOW_ROWS)
    blocks = await blocks_between(session, attempt_id, *span, ranks) if span else []
    return shown(job_id, attempt_id, list({block.rank: block for block in blocks}.values()))


def shown(job_id: int, attempt_id: int | None, blocks: Sequence[StepBlock]) -> NewestSteps:
    """Return one block for each rank, as the API shows them. Pure."""
    items = [block.view() for block in slowest(blocks, MOST_RANKS)]
    return NewestSteps(job_id=job_id, attempt_id=attempt_id, ranks=len(blocks), items=items)


async def newest_ids(session: AsyncSession, attempt_id: int | None, rows: int) -> tuple[int, int] | tuple[()]:
    """Return the first and the last id of an attempt's newest rows; None if it has none."""
    ids = select(Step.id).where(Step.attempt_id == attempt_id).order_by(Step.id.desc()).limit(rows).subquery()
    first, last = (await session.execute(select(func.min(ids.c.id), func.max(ids.c.id)))).one()
    return () if first is None else (first, last)


async def blocks_between(
    session: AsyncSession, attempt_id: int | None, first_id: int, last_id: int, ranks: int
) -> list[StepBlock]:
    """Return an attempt's rows between two ids (both included), in the order of the last step of each block."""
    here = (Step.attempt_id == attempt_id, Step.id.between(first_id, last_id))
    sums = (
        select(
            Step.rank,
            *_KIND,
            func.count().label("steps"),
            func.sum(Step.duration_us).label("duration_us"),
            func.min(Step.duration_us).label("min_us"),
            func.max(Step.duration_us).label("max_us"),
            func.sum(Step.compute_us).label("compute_us"),
            func.sum(Step.exposed_us).label("exposed_us"),
            func.sum(Step.samples).label("samples"),
            case((func.count(Step.input_us) == func.count(), func.sum(Step.input_us))).label("input_us"),
            func.max(Step.id).label("last_id"),
        )
        .where(*here)
        .group_by(Step.rank, *_KIND)
    )
    place = func.row_number().over(partition_by=(Step.rank, *_KIND), order_by=Step.id.desc()).label("place")
    others = (Step.step, Step.started_at_ns, Step.duration_us, Step.loss, Step.memory_bytes)
    placed = select(Step.id, Step.rank, *_KIND, *others, place).where(*here).subquery()
    last = select(placed).where(placed.c.place <= RECENT_STEPS).order_by(placed.c.id)
    tails: dict[Any, list[Any]] = {}
    for row in await session.execute(last):
        tails.setdefault(_key(row), []).append(row)
    found = sorted(await session.execute(sums), key=lambda row: row.last_id)
    return [_block(row, tails[_key(row)], ranks) for row in found]


def _key(row: Any) -> tuple[int, StepKind]:
    return row.rank, StepKind(*(getattr(row, name) for name in StepKind._fields))


def _block(sums: Any, tail: Sequence[Any], ranks: int) -> StepBlock:
    """Make a block from its sums and its last rows, oldest first."""
    rank, kind = _key(sums)
    return StepBlock(
        rank=rank,
        kind=kind,
        steps=sums.steps,
        last_step=tail[-1].step,
        started_at_ns=tail[-1].started_at_ns,
        # A simulation may have any number of ranks, whatever the job's size.
        bus_bytes=None if kind.transport == SIMULATED else kind.bytes * known_bus_factor(kind.op, ranks),
        duration_us=sums.duration_us,
        min_us=sums.min_us,
        max_us=sums.max_us,
        compute_us=sums.compute_us,
        exposed_us=sums.exposed_us,
        recent_us=tuple(row.duration_us for row in tail),
        loss=tail[-1].loss,
        samples=None if sums.samples is None else int(sums.samples),
        input_us=sums.input_us,
        memory_bytes=next((row.memory_bytes for row in reversed(tail) if row.memory_bytes is not None), None),
    )
