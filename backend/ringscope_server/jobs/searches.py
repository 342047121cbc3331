"""The check of a strategy search at its submission: whether it has candidates to compare. Pure."""

from ringscope.contracts.errors import UserError
from ringscope.contracts.findings import FieldError
from ringscope.contracts.job import JobSpec
from ringscope.search.candidates import Situation, candidates


def search_errors(spec: JobSpec) -> list[FieldError]:
    """Return why a search cannot compare its candidates, whatever the nodes have; no error if it can."""
    if spec.strategy_search is None:
        return []
    try:
        candidates(spec.strategy_search, Situation(spec.ranks, spec.placement.node_count or 1))
    except UserError as error:
        return [FieldError(pointer="/strategy_search/strategies", detail=str(error))]
    return []
