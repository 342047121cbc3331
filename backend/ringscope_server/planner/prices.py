"""Prices for the planner, by the same code as `ringscope plan`. They take processor time: run them in a thread."""

from functools import lru_cache

from ringscope.contracts.words.topology import Topology
from ringscope.cost.answer import answer
from ringscope.cost.fitting.regimes import Regime, regime_of
from ringscope.cost.limits import bus_limit_gb_per_s
from ringscope.cost.nccl_model import ARCHITECTURES
from ringscope.cost.prices import Price, fastest, prices
from ringscope.cost.sensitivity import sensitivities
from ringscope_server.planner.questions import MAX_BYTES, PlanQuestion, Question, SensitivityQuestion
from ringscope_server.planner.views import PriceCell, PriceTable, SensitivityList

_KNOWN_PRICES = 20_000


def table(question: PlanQuestion) -> PriceTable:
    """Return every cell. Raises ValueError with a sentence for what cannot be priced."""
    link = _links(question, question.cluster.topology, MAX_BYTES).inter
    return PriceTable(
        collective=question.collective,
        cluster=question.cluster,
        bandwidth_bytes_per_s=link.bytes_per_s,
        latency_s=link.latency_s,
        cells=[
            _cell(question, cluster.shape, cluster.topology, size_bytes)
            for cluster in question.clusters
            for size_bytes in question.sizes_bytes
        ],
    )


def sensitivity(question: SensitivityQuestion) -> SensitivityList:
    """Return how the times change with each figure. Raises ValueError like ``plan``."""
    topology = question.cluster.topology
    found = sensitivities(
        question.names,
        question.size_bytes,
        topology,
        question.factor,
        question.servers,
        ARCHITECTURES.get(question.cluster.intra),
        question.collective,
        _regimes(question),
    )
    return SensitivityList(
        size_bytes=question.size_bytes, ranks=topology.ranks, factor=question.factor, items=list(found)
    )


def _cell(question: PlanQuestion, shape: str, topology: Topology, size_bytes: int) -> PriceCell:
    regimes = _regimes(question)
    results = [
        _price(name, size_bytes, topology, question.servers, question.cluster.intra, question.collective, regimes)
        for name in question.names
    ]
    best = fastest(results) if topology.ranks > 1 else None
    links = _links(question, topology, size_bytes)
    limit = bus_limit_gb_per_s(links, question.collective)
    return PriceCell(
        shape=shape,
        ranks=topology.ranks,
        size_bytes=size_bytes,
        fastest=best and best.algorithm,
        limit_gb_per_s=limit or None,
        results=results,
        answer=answer(results, question.collective, size_bytes, links, question.typed_size, question.servers),
    )


@lru_cache(maxsize=_KNOWN_PRICES)
def _price(
    algorithm: str,
    size_bytes: int,
    topology: Topology,
    servers: int,
    intra: str,
    collective: str,
    regimes: tuple[Regime, ...],
) -> Price:
    """Return a price from a cache: a page requests nearly the same repeatedly while a person moves a slider."""
    (found,) = prices([algorithm], size_bytes, topology, servers, ARCHITECTURES.get(intra), collective, regimes)
    return found


def _links(question: Question, topology: Topology, size_bytes: int) -> Topology:
    """Return the shape with the links that hold for messages of this size."""
    regimes = _regimes(question)
    return regime_of(regimes, size_bytes).on(topology) if regimes else topology


def _regimes(question: Question) -> tuple[Regime, ...]:
    return tuple(figures.regime() for figures in question.parameters)
