"""The preflight of a gang: before its program, one all-reduce is checked and the links of its nodes are measured."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ringscope.bench.pairs.job import known_before, take_part
from ringscope.bench.pairs.meter import Letters, Post
from ringscope.bench.pairs.plane import Place
from ringscope.contracts.diagnosis.earlier import Earlier
from ringscope.contracts.diagnosis.record import DiagnosisTold, DiagnosisVerdict, PairMeasured
from ringscope.contracts.diagnosis.spec import DiagnosisSpec
from ringscope.contracts.rank_process import NODES_VARIABLE
from ringscope.engine.base import Array
from ringscope.engine.errors import DifferenceError, EngineError, UnfitNodeError
from ringscope.engine.positions import UNTIMED
from ringscope.preflight.gang import Unfit, unfit_node

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_COUNT = 64 << 10  # float32 elements of the all-reduce
_VERDICT_TAG, _VERDICT_BYTES = 2, 4096
_NAP_SECONDS = 0.002
_PATIENCE_SECONDS = 60.0  # beyond the budget
_END_SECONDS = 60.0  # until the failure of another rank has ended this one


def preflight(comm: Communicator, spec: DiagnosisSpec, emit: Callable[[DiagnosisTold], None]) -> None:
    """Return if no node is slow by interval (collective).

    UnfitNodeError on the first rank of a slow node, whose message is the finding; the other ranks then wait to be
    ended. DifferenceError on every rank if the all-reduce is wrong.
    """
    _reduce(comm)
    places = _places()
    leaders = leaders_of(places)
    if len(leaders) < 2:
        return
    if len(places) != comm.size:
        raise EngineError(f"{NODES_VARIABLE} has {len(places)} ranks, and there are {comm.size}.")
    post = comm.post()

    def progress() -> None:
        comm.position[UNTIMED] += 1

    judge(post, spec, places, emit, progress, known_before() if comm.rank == 0 else Earlier())
    post.free()


def judge(
    post: Post,
    spec: DiagnosisSpec,
    places: Sequence[Place],
    emit: Callable[[DiagnosisTold], None],
    progress: Callable[[], None],
    known: Earlier,
) -> None:
    """Measure and judge, as one rank; UnfitNodeError as in ``preflight``."""
    leaders = leaders_of(places)
    unfit: Unfit | None = None
    if post.rank in leaders:
        told: list[DiagnosisTold] = []

        def note(one: DiagnosisTold) -> None:
            told.append(one)
            emit(_with_ranks(one, leaders))

        nodes = [places[rank] for rank in leaders]
        take_part(_LeadersPost(post, leaders), spec, nodes, note, progress, known, is_preflight=True)
        if post.rank == 0:
            pairs = [one for one in told if isinstance(one, PairMeasured)]
            verdict = next((one for one in told if isinstance(one, DiagnosisVerdict)), None)
            unfit = unfit_node(verdict, pairs, [place.node for place in nodes])
    unfit = _agreed(post, unfit, len(places), spec.budget_seconds)
    if unfit is None:
        return
    bad = next(rank for rank in leaders if places[rank].node == unfit.node)
    if post.rank == bad:
        raise UnfitNodeError(f"The preflight found node {unfit.node} unfit: {unfit.sentence}")
    time.sleep(_END_SECONDS)
    raise EngineError(f"The preflight found node {unfit.node} unfit, and its rank {bad} did not end.")


def leaders_of(places: Sequence[Place]) -> list[int]:
    """Return the first rank of each node."""
    first: dict[str, int] = {}
    for rank, place in enumerate(places):
        first.setdefault(place.node, rank)
    return list(first.values())


def _reduce(comm: Communicator) -> None:
    """Reduce known numbers; DifferenceError if the result is wrong on any rank."""
    expected = comm.size * (comm.size + 1) / 2
    with comm.lent(_COUNT, "float32") as x:
        x[:] = comm.rank + 1
        comm.all_reduce(x)
        wrong = int((x != expected).sum())
    total = int(comm.total(np.array([wrong], np.int64))[0])
    if total:
        raise DifferenceError(f"The all-reduce before the program has {total} wrong elements.", None)


def _agreed(post: Post, unfit: Unfit | None, ranks: int, budget_seconds: int) -> Unfit | None:
    """Return what rank 0 found, on every rank."""
    words = np.zeros(_VERDICT_BYTES, np.uint8)
    letters = [post.messages()]
    if post.rank == 0:
        sentence = unfit.sentence[: _VERDICT_BYTES // 8] if unfit else ""
        text = json.dumps([unfit.node, sentence] if unfit else None).encode()
        words[: len(text)] = np.frombuffer(text, np.uint8)
        letters = [post.messages() for _ in range(1, ranks)]
        for rank, letter in enumerate(letters, 1):
            letter.send(words, rank, _VERDICT_TAG)
    else:
        letters[0].receive(words, 0, _VERDICT_TAG)
    deadline = time.monotonic() + budget_seconds + _PATIENCE_SECONDS
    while not all(letter.are_done() for letter in letters):
        if time.monotonic() > deadline:
            if unfit is not None:
                break  # a rank that hangs takes nothing
            raise EngineError(f"Rank {post.rank} had no verdict of the preflight in time; check the link to rank 0.")
        time.sleep(_NAP_SECONDS)
    found = json.loads(words.tobytes().rstrip(b"\0"))
    return None if found is None else Unfit(*found)


def _with_ranks(told: DiagnosisTold, leaders: Sequence[int]) -> DiagnosisTold:
    if not isinstance(told, PairMeasured):
        return told
    return told.model_copy(update={"first": leaders[told.first], "second": leaders[told.second]})


def _places() -> list[Place]:
    """Return the node of each rank, as its agent says; empty without an agent, where all run on this machine."""
    return [Place(node, rack) for node, rack in json.loads(os.environ.get(NODES_VARIABLE) or "[]")]


class _LeadersPost:
    """The messages among the first ranks of the nodes, which are numbered from 0."""

    def __init__(self, post: Post, leaders: Sequence[int]) -> None:
        self._post, self._leaders = post, leaders
        self.rank = leaders.index(post.rank)

    def messages(self) -> Letters:
        """Make a group of messages."""
        return _LeadersLetters(self._post.messages(), self._leaders)


class _LeadersLetters:
    def __init__(self, letters: Letters, leaders: Sequence[int]) -> None:
        self._letters, self._leaders = letters, leaders

    def send(self, array: Array, rank: int, tag: int) -> None:
        """Start to send."""
        self._letters.send(array, self._leaders[rank], tag)

    def receive(self, array: Array, rank: int, tag: int) -> None:
        """Start to receive."""
        self._letters.receive(array, self._leaders[rank], tag)

    def receive_any(self, array: Array, tag: int) -> None:
        """Start to receive from whichever rank sends first."""
        self._letters.receive_any(array, tag)

    def are_done(self) -> bool:
        """Return whether all have arrived, without waiting."""
        return self._letters.are_done()
