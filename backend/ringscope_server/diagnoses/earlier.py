"""Knowledge before an attempt of a diagnosis: pairs of the job's earlier attempts, and baselines from other jobs."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from statistics import median

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.diagnosis.earlier import FEWEST_MEASUREMENTS, Baseline, Earlier, KnownPair
from ringscope.contracts.diagnosis.record import DiagnosisVerdict, WayRate
from ringscope.contracts.diagnosis.spec import DiagnosisSpec
from ringscope_server.db.models import Attempt, LinkMeasurement, Node
from ringscope_server.db.models import DiagnosisVerdict as StoredVerdict

NEWEST = 5  # measurements of a direction that count for it
_MOST_ROWS = 20_000
_Way = tuple[str, str, int | None]  # source, destination and rail


async def earlier_of(session: AsyncSession, attempt: Attempt, spec: DiagnosisSpec) -> Earlier:
    """Return what is known of the links between the nodes of an attempt, whose members are loaded."""
    names = await _names(session, attempt)
    between = _between(names)
    of_job = select(LinkMeasurement).where(
        *between, LinkMeasurement.job_id == attempt.job_id, LinkMeasurement.attempt_id < attempt.id
    )
    rows = (await session.scalars(of_job.order_by(LinkMeasurement.id))).all()
    return Earlier(pairs=_known(rows, names), baselines=await _baselines(session, attempt.job_id, spec, names))


async def baselines_of(session: AsyncSession, attempt: Attempt, spec: DiagnosisSpec) -> list[Baseline]:
    """Return the baselines against which an attempt, whose members are loaded, holds its links."""
    return await _baselines(session, attempt.job_id, spec, await _names(session, attempt))


async def _names(session: AsyncSession, attempt: Attempt) -> dict[int, str]:
    members = [member.node_id for member in attempt.members]
    return {row.id: row.name for row in await session.execute(select(Node.id, Node.name).where(Node.id.in_(members)))}


def _between(nodes: Iterable[int]) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return LinkMeasurement.first_node_id.in_(nodes), LinkMeasurement.second_node_id.in_(nodes)


def _known(rows: Iterable[LinkMeasurement], names: Mapping[int, str]) -> list[KnownPair]:
    rounds: dict[tuple[int, int], int] = {}
    return [
        KnownPair(
            round=rounds.setdefault((row.attempt_id, row.round), len(rounds)),
            nodes=[names[row.first_node_id], names[row.second_node_id]],
            rail=row.rail,
            ending=row.ending,
            there=row.there,
            back=row.back,
            is_loaded=row.is_loaded,
        )
        for row in rows
    ]


async def _baselines(
    session: AsyncSession, job_id: int, spec: DiagnosisSpec, names: Mapping[int, str]
) -> list[Baseline]:
    """Return a baseline for each direction with enough earlier measurements of the same size.

    What a diagnosis measured of a node that it blamed is no baseline, nor is anything that it measured if it blamed a
    boundary, or if something else disturbed it.
    """
    query = (
        select(LinkMeasurement, StoredVerdict.told)
        .join(Attempt, Attempt.id == LinkMeasurement.attempt_id)
        .outerjoin(StoredVerdict, StoredVerdict.attempt_id == LinkMeasurement.attempt_id)
        .where(
            *_between(names),
            LinkMeasurement.rail.is_(None) if spec.per == "node" else LinkMeasurement.rail.is_not(None),
            LinkMeasurement.job_id < job_id,
            LinkMeasurement.ending == "measured",
            LinkMeasurement.is_loaded.is_(False),
            LinkMeasurement.size_bytes == spec.size_bytes,
            LinkMeasurement.both_ways.is_(spec.both_ways),
            Attempt.disturbed_by.is_(None),
        )
        .order_by(LinkMeasurement.id.desc())
        .limit(_MOST_ROWS)
    )
    blamed: dict[int, frozenset[str] | None] = {}  # None: a boundary
    found: defaultdict[_Way, list[tuple[WayRate, datetime]]] = defaultdict(list)  # newest first
    for row, told in await session.execute(query):
        if row.attempt_id not in blamed:
            blamed[row.attempt_id] = _blamed(told)
        first, second = names[row.first_node_id], names[row.second_node_id]
        bad = blamed[row.attempt_id]
        if bad is None or first in bad or second in bad:
            continue
        found[first, second, row.rail].append((WayRate.model_validate(row.there), row.measured_at))
        found[second, first, row.rail].append((WayRate.model_validate(row.back), row.measured_at))
    # All of these have a rail, or none has one.
    return [_baseline(way, rates[:NEWEST]) for way, rates in sorted(found.items()) if len(rates) >= FEWEST_MEASUREMENTS]


def _baseline(way: _Way, rates: Sequence[tuple[WayRate, datetime]]) -> Baseline:
    source, destination, rail = way
    return Baseline(
        source=source,
        destination=destination,
        rail=rail,
        low=median(rate.low for rate, _ in rates),
        high=median(rate.high for rate, _ in rates),
        measurements=len(rates),
        since=min(measured_at for _, measured_at in rates),
    )


def _blamed(told: dict[str, object] | None) -> frozenset[str] | None:
    parts = [] if told is None else DiagnosisVerdict.model_validate(told).blamed
    if any(part.kind == "boundary" for part in parts):
        return None
    return frozenset(name for part in parts for name in part.names)
