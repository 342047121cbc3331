"""The preview of a strategy search: which candidates would run on the current nodes; and the forecast of their sums."""

from collections.abc import Sequence
from datetime import datetime

from ringscope.contracts.errors import UserError
from ringscope.contracts.findings import FieldError
from ringscope.contracts.job import JobSpec
from ringscope.contracts.search.record import LeftOutCandidate
from ringscope.contracts.training import STRATEGIES, libraries
from ringscope.contracts.tuning import Table
from ringscope.search.candidates import Candidate, Situation, judged, shortage
from ringscope_server.db.engine import Database
from ringscope_server.jobs.service import InvalidJobError
from ringscope_server.nodes.queries import all_nodes
from ringscope_server.overload.process_pool import Runs
from ringscope_server.placement.capacity import job_errors
from ringscope_server.predictions import gang as gangs
from ringscope_server.predictions.gradient_sum import gradient_sum
from ringscope_server.predictions.views import (
    CandidateForecast,
    GradientSum,
    PlannedNode,
    SearchForecast,
    SearchPreview,
)
from ringscope_server.predictions.warnings import refusals
from ringscope_server.results.tuning import known_times

_LIBRARIES = frozenset(library for strategy in STRATEGIES for library in libraries(strategy))


async def preview(database: Database, spec: JobSpec, now: datetime) -> SearchPreview:
    """Return the candidates of a search that is not submitted yet, on the nodes that it would get.

    InvalidJobError for an unknown name. If this cluster cannot run the job, no candidate runs, and those that would be
    left out on any nodes are named.
    """
    search = spec.strategy_search
    assert search is not None
    async with database.read() as session:
        gang = await gangs.planned(session, spec, now)
        errors = job_errors(spec, await all_nodes(session))
    nodes = len(gang) or spec.placement.node_count or 1
    installed = {library for library in _LIBRARIES if all(library in node.versions for node, _ in gang)}
    situation = Situation(spec.ranks, nodes, installed if gang else None, bool(gang) and gangs.has_gpus(gang))
    try:
        found = judged(search, situation)
    except UserError as error:
        raise InvalidJobError([FieldError(pointer="/strategy_search/strategies", detail=str(error))]) from error
    return SearchPreview(
        candidates=[] if errors else [each.name for each in found.chosen],
        left_out=[LeftOutCandidate(name=each.name, reason=each.reason) for each in found.left_out],
        nodes=[PlannedNode(node=node.name, ranks=ranks) for node, ranks in gang],
        warnings=refusals(errors) or [*filter(None, [shortage(found)])],
    )


async def forecast(database: Database, worker: Runs, attempt_id: int | None, spec: JobSpec) -> SearchForecast:
    """Return the cost model's forecast for the candidates of an attempt, by the times known before it."""
    search = spec.strategy_search
    assert search is not None
    async with database.read() as session:
        gang = [] if attempt_id is None else await gangs.taken(session, attempt_id)
        slots = [ranks for _, ranks in gang] or [spec.ranks]
        known = (await known_times(session, spec, slots, attempt_id)).on(gangs.machine_of(gang))
    found = judged(search, Situation(spec.ranks, len(slots), None, bool(gang) and gangs.has_gpus(gang))).chosen
    sums = await worker.run(_sums, spec.ranks, found, slots, known)
    return SearchForecast(
        candidates=[
            CandidateForecast(name=name, sums_us=told.time_us / told.every_steps, algorithm=told.algorithm)
            for name, told in sums
        ],
        source=sums[0][1].source if sums else "",
    )


def _sums(ranks: int, found: Sequence[Candidate], slots: Sequence[int], known: Table) -> list[tuple[str, GradientSum]]:
    """Predict the sums of each candidate; those that the model does not know are left out."""
    told = [(each.name, gradient_sum(ranks, each.training, slots, known)) for each in found]
    return [(name, one) for name, one in told if one is not None]
