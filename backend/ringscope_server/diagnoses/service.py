"""The records of a diagnosis as rows, and the diagnosis made of them again."""

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import selectinload

from ringscope.contracts.diagnosis.record import BlamedPart, DiagnosisTold, DiagnosisVerdict, PairMeasured, WayRate
from ringscope.contracts.diagnosis.spec import DiagnosisSpec
from ringscope.contracts.job import JobSpec
from ringscope.contracts.words.job_states import TERMINAL, WAITING
from ringscope_server.db.models import Attempt, Job, LinkMeasurement, Member, Node
from ringscope_server.db.models import DiagnosisVerdict as StoredVerdict
from ringscope_server.db.specs import valid_spec
from ringscope_server.diagnoses.draining import drain_blamed
from ringscope_server.diagnoses.earlier import baselines_of
from ringscope_server.diagnoses.pairs import names_of, rounds_of
from ringscope_server.diagnoses.reach import LINKS_CUT, blamed_parts
from ringscope_server.diagnoses.views import DiagnosisBaselines, DiagnosisView
from ringscope_server.events import audit
from ringscope_server.jobs.views import TrainingSummary

_Place = tuple[int, int]  # the id of a node, and the number of a rank on it


async def store(session: AsyncSession, attempt_id: int, job_id: int, told: Sequence[DiagnosisTold]) -> None:
    """Store new records, and the number of pairs and the verdict with the job, unless it is at another attempt now."""
    job = await session.get_one(Job, job_id)
    spec = valid_spec(job)
    if spec is None or (how := spec.measured_pairs) is None:
        return
    nodes = await _place_of_rank(session, attempt_id)
    pairs = [each for each in told if isinstance(each, PairMeasured)]
    session.add_all(
        _row(pair, how, attempt_id, job_id, nodes) for pair in pairs if pair.first in nodes and pair.second in nodes
    )
    for each in told:
        if isinstance(each, DiagnosisVerdict):
            await session.merge(StoredVerdict(attempt_id=attempt_id, told=each.model_dump(mode="json")))
    await session.flush()
    if spec.diagnosis is None:
        return
    newest = await session.scalar(select(func.max(Attempt.id)).where(Attempt.job_id == job_id))
    if job.state in WAITING | TERMINAL or newest != attempt_id:
        return
    of_job = select(Attempt.id).where(Attempt.job_id == job_id)
    measured = select(func.count()).where(LinkMeasurement.attempt_id.in_(of_job))
    verdict = await verdict_of(session, attempt_id)
    if verdict is not None:
        verdict = await _with_lost(session, await session.get_one(Attempt, attempt_id), verdict)
    summary = TrainingSummary(kind="diagnosis", verdict=sentence_of(verdict) if verdict else None)
    job.rows_done = await session.scalar(measured) or 0
    job.summary = summary.model_dump(mode="json")


async def verdict_of(session: AsyncSession, attempt_id: int | None) -> DiagnosisVerdict | None:
    """Return the verdict of an attempt; None if it gave none."""
    stored = await session.scalar(select(StoredVerdict.told).where(StoredVerdict.attempt_id == attempt_id))
    return None if stored is None else DiagnosisVerdict.model_validate(stored)


async def tell_blame(session: AsyncSession, attempt: Attempt, now: datetime) -> None:
    """Add an event for each node, link or boundary that an attempt blames, which has just ended.

    Its schedule may ask that a blamed node is drained. A node that was lost is not drained: it gets no work anyway.
    """
    verdict = await verdict_of(session, attempt.id)
    found = await _with_lost(session, attempt, verdict) if verdict else await _gone(session, attempt.id)
    if verdict is not None:
        await drain_blamed(session, attempt.job, verdict, now)
    for blamed in found.blamed if found else ():
        names = ", ".join(blamed.labels)
        target = ("job", attempt.job_id)
        audit.record(session, now, audit.SYSTEM, "diagnosis.blamed", target, after=names, message=blamed.sentence)


def sentence_of(verdict: DiagnosisVerdict) -> str:
    """Return a verdict in one sentence, or in a sentence for each part that is blamed."""
    if verdict.blamed:
        return " ".join(each.sentence for each in verdict.blamed)
    if not verdict.decided:
        return f"The diagnosis is undecided. {' '.join(verdict.undecided[:1])}".rstrip()
    return verdict.sentences[0] if verdict.sentences else "Nothing is wrong."


async def diagnosis_view(session: AsyncSession, attempt_id: int | None, spec: JobSpec) -> DiagnosisView | None:
    """Return the diagnosis of an attempt without its pairs; None for a job of another kind."""
    if (measured := spec.measured_pairs) is None:
        return None
    attempt = await session.get(Attempt, attempt_id) if attempt_id is not None else None
    names, rounds = await names_of(session, attempt), await rounds_of(session, attempt)
    verdict = await verdict_of(session, attempt_id)
    if verdict and attempt:
        verdict = await _with_lost(session, attempt, verdict)
    gone = None if verdict else await _gone(session, attempt_id)
    found = verdict or gone
    return DiagnosisView(
        measure=measured.measure,
        per=measured.per,
        size_bytes=measured.size_bytes,
        both_ways=measured.both_ways,
        nodes=list(names.values()),
        decided=found.decided if found else None,
        rounds=verdict.rounds if verdict else rounds,
        sentence=sentence_of(found) if found else "The diagnosis has no verdict yet.",
        blamed=found.blamed if found else [],
        cleared=found.cleared if found else [],
        sentences=found.sentences if found else [],
        undecided=found.undecided if found else [],
        pairs=[],
    )


async def baselines_view(session: AsyncSession, attempt_id: int | None, spec: JobSpec) -> DiagnosisBaselines | None:
    """Return the baselines of an attempt's links; None for a job of another kind."""
    if (measured := spec.measured_pairs) is None:
        return None
    if attempt_id is None:
        return DiagnosisBaselines(items=[])
    attempt = await session.get_one(Attempt, attempt_id, options=[selectinload(Attempt.members)])
    return DiagnosisBaselines(items=await baselines_of(session, attempt, measured))


async def _gone(session: AsyncSession, attempt_id: int | None) -> DiagnosisVerdict | None:
    """Return the verdict on a node whose loss ended the attempt, which the server knows better than the ranks."""
    attempt = await session.get(Attempt, attempt_id) if attempt_id is not None else None
    if attempt is None or attempt.bad_node is None:
        return None
    if attempt.reason == LINKS_CUT:
        parts = await blamed_parts(session, attempt.id)
        more = "A third node would tell whether the link is cut or one of its nodes."
        return DiagnosisVerdict(
            decided=bool(parts),
            rounds=0,
            blamed=parts,
            cleared=[],
            sentences=[attempt.message],
            undecided=[] if parts else [attempt.message, more],
        )
    blamed = _lost_part(attempt.bad_node, attempt.message)
    later = "Other nodes were not judged; another diagnosis without this node would decide about them."
    return DiagnosisVerdict(
        decided=True, rounds=0, blamed=[blamed], cleared=[], sentences=[attempt.message], undecided=[later]
    )


async def _place_of_rank(session: AsyncSession, attempt_id: int) -> dict[int, _Place]:
    """Return the node of each rank by its id, and the number of the rank on it."""
    members = await session.execute(
        select(Member.first_rank, Member.slots, Member.node_id).where(Member.attempt_id == attempt_id)
    )
    return {first + local: (node, local) for first, slots, node in members for local in range(slots)}


async def _with_lost(session: AsyncSession, attempt: Attempt, verdict: DiagnosisVerdict) -> DiagnosisVerdict:
    """Return a verdict with the nodes that earlier attempts lost, after which this one continued without them."""
    here = select(Node.name).join(Member, Member.node_id == Node.id).where(Member.attempt_id == attempt.id)
    earlier = await session.execute(
        select(Attempt.id, Attempt.reason, Attempt.bad_node, Attempt.message)
        .where(Attempt.job_id == attempt.job_id, Attempt.id < attempt.id, Attempt.bad_node.not_in(here))
        .order_by(Attempt.id)
    )
    lost: list[BlamedPart] = []
    sentences: list[str] = []
    for number, reason, name, message in earlier:
        if name is None:
            continue
        is_cut = reason == LINKS_CUT
        found = await blamed_parts(session, number) if is_cut else [_lost_part(name, message)]
        lost += found
        sentences += [each.sentence for each in found] + (
            [f"{name} is left out of the measurements."] if is_cut else []
        )
    blamed = _once([*lost, *verdict.blamed])
    return verdict.model_copy(update={"blamed": blamed, "sentences": [*dict.fromkeys(sentences), *verdict.sentences]})


def _once(parts: Sequence[BlamedPart]) -> list[BlamedPart]:
    """Return each blamed part once; several attempts may have found it."""
    return list({(part.kind, *sorted(part.labels)): part for part in reversed(parts)}.values())[::-1]


def _lost_part(name: str, message: str) -> BlamedPart:
    return BlamedPart(kind="node", names=[name], manner="died", confidence=1.0, sentence=message, evidence=[])


def _row(
    pair: PairMeasured, spec: DiagnosisSpec, attempt_id: int, job_id: int, nodes: dict[int, _Place]
) -> LinkMeasurement:
    (first, rail), (second, _) = nodes[pair.first], nodes[pair.second]
    there, back = _stored(pair.there), _stored(pair.back)
    if first > second:
        first, second, there, back = second, first, back, there
    return LinkMeasurement(
        attempt_id=attempt_id,
        job_id=job_id,
        round=pair.round,
        first_node_id=first,
        second_node_id=second,
        rail=rail if spec.per == "rail" else None,
        ending=pair.ending,
        is_loaded=pair.is_loaded,
        size_bytes=spec.size_bytes,
        both_ways=spec.both_ways,
        there=there,
        back=back,
        latency_us=pair.latency_us,
        measured_at=datetime.fromtimestamp(pair.time_ns / 1e9, UTC),
    )


def _stored(rate: WayRate | None) -> dict[str, float] | None:
    return None if rate is None else rate.model_dump(mode="json")
