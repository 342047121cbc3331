"""A job of kind diagnosis on its ranks."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ringscope.bench.pairs import letters
from ringscope.bench.pairs.conductor import Conductor, Place
from ringscope.bench.pairs.meter import Letters, Meter, Post
from ringscope.contracts.diagnosis.earlier import Earlier
from ringscope.contracts.diagnosis.record import DiagnosisTold
from ringscope.contracts.diagnosis.spec import DiagnosisSpec
from ringscope.contracts.rank_process import EARLIER_VARIABLE, NODES_VARIABLE
from ringscope.engine.base import Array
from ringscope.engine.errors import EngineError
from ringscope.engine.positions import UNTIMED

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_NAP_SECONDS = 0.002
_PATIENCE_SECONDS = 120.0  # beyond the budget, which rank 0 observes between two rounds


def diagnose(comm: Communicator, spec: DiagnosisSpec, emit: Callable[[DiagnosisTold], None]) -> bool:
    """Measure and tell a verdict (collective); return whether no message is left under way.

    If it returns False, MPI cannot be ended in order. UserError if the budget cannot hold one round.
    """
    places = places_of(comm.size)
    post = comm.post()

    def progress() -> None:
        comm.position[UNTIMED] += 1

    is_clean = take_part(post, spec, places, emit, progress, known_before() if comm.rank == 0 else None)
    if is_clean:
        post.free()
    return is_clean


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
    return _follow(post, meter, spec.budget_seconds + _PATIENCE_SECONDS)


def known_before() -> Earlier:
    """Return what is known from earlier attempts and diagnoses, as the agent says."""
    path = os.environ.get(EARLIER_VARIABLE)
    return Earlier.model_validate_json(Path(path).read_bytes()) if path else Earlier()


def places_of(ranks: int) -> list[Place]:
    """Return the node of each rank, as its agent says; without an agent each rank stands for a node."""
    told = os.environ.get(NODES_VARIABLE)
    if told is None:
        return [Place(f"rank {rank}") for rank in range(ranks)]
    places = [Place(node, rack) for node, rack in json.loads(told)]
    if len(places) != ranks or len({place.node for place in places}) != ranks:
        raise EngineError("A diagnosis runs one rank on each node; set placement.ranks_per_node to 1.")
    return places


def _follow(post: Post, meter: Meter, patience_seconds: float) -> bool:
    """Measure what rank 0 orders, until it orders the end."""
    kept: list[tuple[Letters, Array]] = []
    deadline = time.monotonic() + patience_seconds
    while True:
        words = letters.empty_order()
        coming = post.messages()
        coming.receive(words, 0, letters.ORDER_TAG)
        while not coming.are_done():
            if time.monotonic() > deadline:
                raise EngineError(f"Rank {post.rank} had no order of rank 0 in time; check the link between them.")
            time.sleep(_NAP_SECONDS)
        task = letters.task_of(words)
        if task is None:
            return letters.is_clean(words) and not meter.has_stuck
        found = letters.report(meter.measure(task))
        leaving = post.messages()
        leaving.send(found, 0, letters.REPORT_TAG + task.round)
        kept = [*(one for one in kept if not one[0].are_done()), (leaving, found)]
