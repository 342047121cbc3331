"""The reason for the end of an attempt, once everything about it is known."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Double, cast, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.protocol import rank_words
from ringscope.contracts.words.units import plural
from ringscope_server.attempts import epoch_checks as told_epochs
from ringscope_server.attempts import row_checks as told_rows
from ringscope_server.attempts.row_checks import NUMBERS, TIMES, Key, ReportedRow, Sweep
from ringscope_server.db.models import Attempt, Measurement, Member
from ringscope_server.db.specs import SPOILED, spec_of, valid_spec
from ringscope_server.diagnoses.service import verdict_of as diagnosis_verdict
from ringscope_server.jobs.reasons import Reason, reason_of
from ringscope_server.nodes import agent_versions
from ringscope_server.training.epochs import steps_by_epoch
from ringscope_server.training.search import told_search


@dataclass(frozen=True)
class Verdict:
    """The reason, a sentence, and the name of the node to blame, if any."""

    reason: Reason
    message: str
    bad_node: str | None = None


def node_lost(member: Member) -> str:
    """Return the sentence about a lost node, which is loaded."""
    victims = rank_words(member.first_rank, member.slots)
    if too_old := agent_versions.refusal(member.node.agent_version):
        return f"Node {member.node.name} with {victims} is lost. {too_old}"
    return f"Node {member.node.name} with {victims} is lost: its agent has stopped sending heartbeats."


async def verdict(session: AsyncSession, attempt: Attempt) -> Verdict:
    """Return the verdict on a stopping attempt whose members, nodes and job are loaded.

    A diagnosis with a verdict has completed, however its ranks ended. Rows can only make it worse: a wrong result never
    succeeds, nor do rows other than the requested ones (see ``told_rows``), nor training without all of its epochs.
    """
    job = attempt.job
    assert job.reason is not None, "stopping always has a reason"
    reason = reason_of(job.reason)
    if job.kind == "diagnosis" and reason.name != "user_cancelled" and await diagnosis_verdict(session, attempt.id):
        return Verdict(reason_of("completed"), "")  # ranks that miss a silent one end by force
    if reason.may_follow_loss and (lost := _lost(attempt, "assigned", "ready", "running")):
        # Ranks that miss their peers end long before the missed heartbeats show why.
        return Verdict(reason_of("node_lost"), f"{node_lost(lost)} Before that: {job.message}", lost.node.name)
    if reason.name != "user_cancelled" and valid_spec(job) is None:
        return Verdict(reason_of("server_error"), SPOILED)
    if reason.name not in ("completed", "verification_failed"):
        return Verdict(reason, job.message, attempt.bad_node)
    wrong = await _wrong(session, attempt.id)
    if wrong or reason.name == "verification_failed":
        sentence = job.message or f"The result check found {plural(wrong, 'wrong element')}."
        return Verdict(reason_of("verification_failed"), sentence)
    if sentence := await _missing(session, attempt):
        if lost := _lost(attempt, "ended"):
            return Verdict(reason_of("node_lost"), f"{node_lost(lost)} Before that: {sentence}", lost.node.name)
        return Verdict(reason_of("results_missing"), sentence)
    return Verdict(reason, "")


async def _wrong(session: AsyncSession, attempt_id: int) -> int:
    """Return the wrong elements over all rows; as a double, because SQLite fails for a sum beyond an integer."""
    total = func.sum(cast(Measurement.wrong, Double))
    return round(await session.scalar(select(total).where(Measurement.attempt_id == attempt_id)) or 0)


async def _missing(session: AsyncSession, attempt: Attempt) -> str:
    """Return a sentence on what ranks that ended well have not reported; empty if nothing is missing."""
    spec = spec_of(attempt.job)
    if spec.training is not None:
        goes_on = attempt.number > 1 or spec.training.resume_from is not None
        return told_epochs.fault(spec.training, await steps_by_epoch(session, attempt.job_id), goes_on)
    if spec.strategy_search is not None:
        return (await told_search(session, attempt.id, spec.strategy_search)).fault()
    if spec.diagnosis is not None:
        return "" if await diagnosis_verdict(session, attempt.id) else "The ranks ended without a verdict."
    if spec.benchmark is not None:
        rows = await _rows(session, attempt.id)
        return await asyncio.to_thread(
            told_rows.fault, spec.benchmark, spec.ranks, rows
        )  # for a long sweep this takes a second
    return ""


async def _rows(session: AsyncSession, attempt_id: int) -> list[ReportedRow]:
    key = Measurement.cycle, Measurement.size_bytes, Measurement.algorithm, Measurement.in_place
    sweep = Measurement.collective, Measurement.dtype, Measurement.ranks, Measurement.iterations, Measurement.op
    how = Measurement.wrong, Measurement.chosen_algorithm, Measurement.transport, Measurement.lowered_max_bytes
    numbers = [getattr(Measurement, name) for name in NUMBERS]
    times = [getattr(Measurement, name) for name in TIMES]
    query = (
        select(*key, *sweep, *how, *numbers, *times)
        .where(Measurement.attempt_id == attempt_id)
        .order_by(Measurement.id)
    )
    found: Iterable[Sequence[Any]] = await session.execute(query)
    first = len(NUMBERS) + 13
    return [
        ReportedRow(
            Key(*row[:4]),
            Sweep(*row[4:9]),
            dict(zip(NUMBERS, row[13:first], strict=True)),
            dict(zip(TIMES, row[first:], strict=True)),
            *row[9:13],
        )
        for row in found
    ]


def _lost(attempt: Attempt, *phases: str) -> Member | None:
    """Return a member whose node is lost and had got no further than to one of these phases."""
    for member in attempt.members:
        if member.node.observed == "lost" and member.phase in phases:
            return member
    return None
