"""A job of kind diagnosis on its ranks."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from ringscope.bench.pairs import letters
from ringscope.bench.pairs.conductor import Conductor
from ringscope.bench.pairs.meter import Letters, Meter, Post, Task
from ringscope.bench.pairs.plane import Place
from ringscope.contracts.diagnosis.earlier import Earlier
from ringscope.contracts.diagnosis.record import DiagnosisTold
from ringscope.contracts.diagnosis.spec import DiagnosisSpec, Per
from ringscope.contracts.rank_process import EARLIER_VARIABLE, NODES_VARIABLE
from ringscope.engine.base import Array
from ringscope.engine.errors import EngineError
from ringscope.engine.positions import UNTIMED
from ringscope.engine.waiting.pause import pause
from ringscope.engine.world_post import WorldPost

_NAP_SECONDS = 0.002
_PATIENCE_SECONDS = 120.0  # beyond the budget, which rank 0 observes between two rounds


def diagnose(post: WorldPost, spec: DiagnosisSpec, emit: Callable[[DiagnosisTold], None]) -> bool:
    """Measure and tell a verdict (collective); return whether no message is left under way.

    If it returns False, MPI cannot be ended in order. UserError if the budget cannot hold one round.
    """

    def progress() -> None:
        post.position[UNTIMED] += 1

    earlier = known_before() if post.rank == 0 else None
    return take_part(post, spec, places_of(post.size, spec.per), emit, progress, earlier)


def take_part(
    post: Post,
    spec: DiagnosisSpec,
    places: list[Place],
    emit: Callable[[DiagnosisTold], None],
    progress: Callable[[], None],
    earlier: Earlier | None = None,
    is_preflight: bool = False,
) -> bool:
    """Do the part of one rank; return as ``diagnose``. ``earlier`` is what rank 0 knows already."""
    meter = Meter(post, spec.size_bytes, spec.both_ways, spec.timeout_seconds, progress)
    if post.rank == 0:
        return Conductor(post, meter, spec, places, emit, earlier or Earlier(), is_preflight).run()
    return _Follower(post, meter, spec.timeout_seconds).follow(spec.budget_seconds + _PATIENCE_SECONDS)


def known_before() -> Earlier:
    """Return what is known from earlier attempts and diagnoses, as the agent says."""
    path = os.environ.get(EARLIER_VARIABLE)
    return Earlier.model_validate_json(Path(path).read_bytes()) if path else Earlier()


def places_of(ranks: int, per: Per = "node") -> list[Place]:
    """Return the node of each rank, as its agent says; without an agent each rank stands for a node.

    Per node each node has one rank; per rail each has the same number of ranks, at least two.
    """
    told = os.environ.get(NODES_VARIABLE)
    if told is None:
        return [Place(f"rank {rank}") for rank in range(ranks)]
    places = [Place(node, rack) for node, rack in json.loads(told)]
    each = set(Counter(place.node for place in places).values())
    if len(places) != ranks or (per == "node" and each != {1}):
        raise EngineError("A diagnosis runs one rank on each node; set placement.ranks_per_node to 1.")
    if per == "rail" and (len(each) > 1 or each == {1}):
        raise EngineError("A diagnosis per rail runs the same number of ranks on each node, and at least two.")
    return places


class _Follower:
    """A rank that measures what rank 0 orders, or another rank for it, until rank 0 orders the end."""

    def __init__(self, post: Post, meter: Meter, timeout_seconds: float) -> None:
        self._post, self._meter, self._timeout = post, meter, timeout_seconds
        self._kept: list[tuple[Letters, Array]] = []  # letters under way

    def follow(self, patience_seconds: float) -> bool:
        """Return whether no message is left under way; EngineError without an order for so long."""
        deadline = time.monotonic() + patience_seconds
        self._send(letters.ready(), 0, letters.READY_TAG)
        while True:
            words = letters.empty_order()
            coming = self._post.messages()
            coming.receive_any(words, letters.ORDER_TAG)
            while not coming.are_done():
                if time.monotonic() > deadline:
                    rank = self._post.rank
                    raise EngineError(f"Rank {rank} had no order of rank 0 in time; check the link between them.")
                time.sleep(_NAP_SECONDS)
            task = letters.task_of(words)
            if task is None:
                return letters.is_clean(words) and not self._meter.has_stuck
            found = self._led(task) if task.leads else letters.report(self._meter.measure(task))
            self._send(found, task.asker, letters.REPORT_TAG + task.number)

    def _led(self, task: Task) -> Array:
        """Measure with a peer that rank 0 does not reach; return the report of both."""
        coming, numbers = self._post.messages(), letters.empty_report()
        coming.receive(numbers, task.peer, letters.REPORT_TAG + task.number)
        self._send(letters.order_to_peer(task, self._post.rank), task.peer, letters.ORDER_TAG)
        own, of_peer = self._meter.measure(task), None
        if own is None or not self._is_done_in_time(coming):
            self._kept.append((coming, numbers))
        else:
            of_peer, _ = letters.readings_of(numbers)
        return letters.report(own, of_peer)

    def _is_done_in_time(self, coming: Letters) -> bool:
        deadline = time.monotonic() + self._timeout
        while not coming.are_done():
            if time.monotonic() > deadline:
                return False
            pause()
        return True

    def _send(self, words: Array, rank: int, tag: int) -> None:
        self._kept = [one for one in self._kept if not one[0].are_done()]
        leaving = self._post.messages()
        leaving.send(words, rank, tag)
        self._kept.append((leaving, words))
