"""Predicted cost of algorithms on a described cluster, for comparison. Pure.

Algorithms with a schedule are priced from it: message by message, or by classes of equal ranks if there are many
messages. Algorithms that only have a textbook formula are priced by the formula. ``ringscope.choice.prediction``
predicts a job's own ranks from measurements of similar jobs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ringscope.contracts.cluster import MAX_SIMULATED_RANKS
from ringscope.contracts.words.collectives import SCHEDULED, bus_factor, elements
from ringscope.contracts.words.topology import Topology
from ringscope.cost import effort
from ringscope.cost.classes import ClassTimes, by_classes
from ringscope.cost.closed_forms import FORMULAS as CLOSED_FORMS
from ringscope.cost.closed_forms import assisted_servers, gather, parameter_servers
from ringscope.cost.effort import COLLECTS, FORMULAS, SEPARATE, is_bound_enough, is_stepwise, message_count
from ringscope.cost.fitting.regimes import Regime, in_regime, regime_of
from ringscope.cost.fitting.regimes import timeline as fitted_timeline
from ringscope.cost.nccl_model import Architecture, machine_of, predictions
from ringscope.cost.timeline import Timeline, simulate
from ringscope.schedules.algorithms import SCHEDULES, build, channels_of
from ringscope.schedules.algorithms.parameter_server import parameter_server, separate_servers
from ringscope.schedules.schedule import Schedule
from ringscope.schedules.weighted_lru import WeightedLru

NCCL = "nccl"
PRICED: tuple[str, ...] = (*SCHEDULES, SEPARATE, *FORMULAS, NCCL)
_ELEMENT_BYTES = 4
_MOST_TRANSFERS = 100_000  # total of all cached schedules, about 0.15 KB per message
_schedules: WeightedLru[tuple[object, ...], Schedule] = WeightedLru(
    _MOST_TRANSFERS, lambda schedule: sum(map(len, schedule.steps))
)


class TooManyMessagesError(ValueError):
    """The schedule can only be priced message by message, and it has too many messages."""


@dataclass(frozen=True, slots=True)
class Price:
    """The time of one call in the model, and its components.

    ``source`` is the model: schedule, formula, or NCCL's with the algorithm and protocol that it would choose.
    ``formula_s`` is the textbook's time for the same, if there is one; it covers flat networks only. ``phase_ends_s``,
    ``messages``, ``bytes_on_critical_path``, ``steps`` and ``sent_bytes`` (the most that one rank sends) come from the
    schedule; with classes of ranks the path is not followed, and its two figures are None. ``channels`` is the
    schedule's number of channels. With ``is_bound`` the call takes at most ``time_s``, and the rates are lower bounds:
    messages share links at times that were not followed. Without ``is_whole`` it does only a part of the collective and
    is not compared with others: ``gather`` collects the sum but does not distribute it.
    """

    algorithm: str
    time_s: float
    algbw_gb_per_s: float
    busbw_gb_per_s: float
    source: str
    formula_s: float | None = None
    phase_ends_s: dict[str, float] | None = None
    messages: int | None = None
    bytes_on_critical_path: int | None = None
    steps: int | None = None
    sent_bytes: int | None = None
    channels: int | None = None
    is_bound: bool = False
    is_whole: bool = True


def usual(collective: str, topology: Topology, architecture: Architecture | None, is_fitted: bool) -> tuple[str, ...]:
    """Return the algorithms priced by default: all with a schedule, and NCCL's model if it knows the nodes.

    ``architecture`` is that of the GPUs, if the link inside a node implies it; ``is_fitted``: parameters are measured.
    """
    knows = collective == "all_reduce" and architecture is not None and topology.ranks_per_node > 1 and not is_fitted
    return (*SCHEDULED.get(collective, ()), *([NCCL] if knows else []))


def prices(
    algorithms: Sequence[str],
    size_bytes: int,
    topology: Topology,
    servers: int = 1,
    architecture: Architecture | None = None,
    collective: str = "all_reduce",
    regimes: Sequence[Regime] = (),
) -> Iterator[Price]:
    """Return one price per algorithm, for a collective of ``size_bytes`` as defined by nccl-tests.

    ``servers`` are the parameter servers or helpers, ``architecture`` that of the GPUs in NCCL's model. ``regimes`` are
    fitted parameters, which replace the topology's links; its shape is kept. ValueError with a sentence if the call
    cannot be priced; TooManyMessagesError is a subclass.
    """
    if collective not in SCHEDULED:
        raise ValueError(f"collective: unknown collective {collective!r}; choose one of {', '.join(SCHEDULED)}.")
    priced = PRICED if collective == "all_reduce" else tuple(SCHEDULED[collective])
    for algorithm in algorithms:
        if algorithm not in priced:
            raise ValueError(f"algorithm: unknown algorithm {algorithm!r}; choose one of {', '.join(priced)}.")
        if algorithm in FORMULAS:
            fitted = regime_of(regimes, size_bytes).on(topology) if regimes else topology
            yield _by_formula(algorithm, size_bytes, fitted, servers)
        elif algorithm == SEPARATE:
            fitted = regime_of(regimes, size_bytes).on(topology) if regimes else topology
            yield _with_separate_servers(size_bytes, fitted, servers)
        elif algorithm == NCCL:
            if regimes:
                raise ValueError("algorithm: nccl's model has its own parameters; leave it out if you give a fit.")
            yield _by_nccl(size_bytes, topology, architecture)
        else:
            yield _by_schedule(collective, algorithm, size_bytes, topology, servers, regimes)


def _schedule(collective: str, algorithm: str, size_bytes: int, topology: Topology, servers: int) -> Schedule:
    """Return the schedule, cached because it does not depend on the links: a slider over latencies requests it
    repeatedly.
    """
    _, total = elements(collective, size_bytes, _ELEMENT_BYTES, topology.ranks)
    if algorithm == "parameter_server":
        make = partial(parameter_server, topology.ranks, total, servers)
    else:
        make = partial(build, algorithm, topology.ranks, total, topology.nodes, collective, channels=topology.rails)
    shape = topology.ranks, topology.ranks_per_node, topology.rails
    return _schedules.get((collective, algorithm, total, *shape, servers), make)


def _by_schedule(
    collective: str, algorithm: str, size_bytes: int, topology: Topology, servers: int, regimes: Sequence[Regime]
) -> Price:
    """Price a schedule by classes of ranks if there are many messages and it is possible, otherwise message by
    message.
    """
    _, total = elements(collective, size_bytes, _ELEMENT_BYTES, topology.ranks)
    messages = message_count(algorithm, topology.ranks, total, servers, collective, topology.rails)
    channels = channels_of(collective, algorithm, topology.rails)
    if not is_stepwise(messages, channels) or topology.ranks > MAX_SIMULATED_RANKS:

        def price(topology: Topology) -> tuple[ClassTimes | None, float]:
            found = by_classes(collective, algorithm, total, _ELEMENT_BYTES, topology, servers)
            return found, found.message_bytes if found is not None else 0.0

        folded = in_regime(regimes, topology, price) if regimes else price(topology)[0]
        if folded is not None and (not folded.is_bound or is_bound_enough(messages, topology.ranks)):
            return replace(_of_classes(collective, algorithm, total, topology.ranks, folded), channels=channels)
    if topology.ranks > MAX_SIMULATED_RANKS:
        raise TooManyMessagesError(
            f"algorithm: {algorithm} sends about {messages:,} messages here, too many to price one by one; "
            f"leave it out, or give {MAX_SIMULATED_RANKS} ranks or fewer."
        )
    schedule = _schedule(collective, algorithm, size_bytes, topology, servers)
    if regimes:
        timeline = fitted_timeline(regimes, schedule, _ELEMENT_BYTES, topology)
    else:
        timeline = simulate(schedule, _ELEMENT_BYTES, topology)
    return replace(_of_timeline(collective, algorithm, schedule, timeline), channels=channels)


def _of_classes(collective: str, algorithm: str, total: int, ranks: int, folded: ClassTimes) -> Price:
    return Price(
        algorithm,
        folded.seconds,
        *_rates(folded.seconds, total * _ELEMENT_BYTES, ranks, collective),
        source="schedule",
        phase_ends_s=folded.phase_ends_s,
        steps=folded.steps,
        sent_bytes=folded.sent_bytes,
        is_bound=folded.is_bound,
    )


def _of_timeline(collective: str, algorithm: str, schedule: Schedule, timeline: Timeline) -> Price:
    size_bytes, topology = schedule.length * _ELEMENT_BYTES, timeline.topology
    work = timeline.critical_path()
    formula = CLOSED_FORMS[collective].get(algorithm)
    return Price(
        algorithm,
        timeline.seconds,
        *_rates(timeline.seconds, size_bytes, topology.ranks, collective),
        source="schedule",
        formula_s=(
            formula(topology.ranks, size_bytes, topology.inter, topology.reduce_s_per_byte)
            if formula is not None and topology.is_flat
            else None
        ),
        phase_ends_s=timeline.phase_ends_s(),
        messages=work.messages,
        bytes_on_critical_path=work.sent_bytes,
        steps=len(schedule.steps),
        sent_bytes=timeline.most_sent_bytes,
    )


def _with_separate_servers(size_bytes: int, topology: Topology, servers: int) -> Price:
    if not topology.is_flat:
        raise ValueError(f"algorithm: {SEPARATE} have formulas for flat networks only; leave out the topology.")
    workers = topology.ranks
    schedule = separate_servers(workers, size_bytes // _ELEMENT_BYTES, servers)
    timeline = simulate(schedule, _ELEMENT_BYTES, replace(topology, ranks=workers + servers))
    price = _of_timeline("all_reduce", SEPARATE, schedule, timeline)
    rates = _rates(price.time_s, size_bytes, workers)
    formula_s = parameter_servers(workers, servers, size_bytes, topology.inter)
    return replace(price, algbw_gb_per_s=rates[0], busbw_gb_per_s=rates[1], formula_s=formula_s)


def _by_formula(algorithm: str, size_bytes: int, topology: Topology, servers: int) -> Price:
    ranks, link = topology.ranks, topology.inter
    if not topology.is_flat:
        raise ValueError(f"algorithm: {algorithm} has a formula for flat networks only; leave out the topology.")
    match algorithm:
        case effort.COLLECTS:
            time_s = gather(ranks, size_bytes, link, topology.reduce_s_per_byte)
        case "assisted_servers":
            time_s = assisted_servers(ranks, servers, size_bytes, link)
        case _:
            time_s = parameter_servers(ranks, servers, size_bytes, link, duplex=True)
    is_whole = algorithm != COLLECTS
    return Price(algorithm, time_s, *_rates(time_s, size_bytes, ranks), source="formula", is_whole=is_whole)


def fastest(priced: Sequence[Price]) -> Price | None:
    """Return the price of the fastest algorithm that does the whole collective; None if there is none."""
    return min((price for price in priced if price.is_whole), key=lambda price: price.time_s, default=None)


def _by_nccl(size_bytes: int, topology: Topology, architecture: Architecture | None) -> Price:
    if architecture is None:
        raise ValueError(
            "algorithm: nccl's model covers GPUs with nvlink3, nvlink4 or nvlink5; choose one of these as the link "
            "inside nodes."
        )
    ways = predictions(machine_of(topology, architecture), size_bytes)
    time_s = ways[0].time_us / 1e6 if ways else 0.0
    source = f"nccl {ways[0].algorithm}/{ways[0].protocol}" if ways else "nccl"
    return Price(NCCL, time_s, *_rates(time_s, size_bytes, topology.ranks), source=source)


def _rates(time_s: float, size_bytes: int, ranks: int, collective: str = "all_reduce") -> tuple[float, float]:
    algbw = size_bytes / time_s / 1e9 if time_s else 0.0
    return algbw, algbw * bus_factor(collective, ranks)
