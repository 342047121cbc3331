"""Tests of the layout of a bucket's parameters, and of the pieces of a share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringscope.schedules.algorithms import build
from ringscope.schedules.halves import halves
from ringscope.schedules.schedule import Chunk
from ringscope.train.sharded.layout import Layout

COUNTS = st.lists(st.integers(1, 70), min_size=1, max_size=8)


@given(COUNTS, st.integers(1, 6), st.sampled_from(["ring", "ring_pipelined", "direct"]))
def test_the_pieces_of_all_ranks_are_every_element_once(counts: list[int], ranks: int, algorithm: str) -> None:
    layout, found = Layout(counts), halves(build(algorithm, ranks, sum(counts)))
    assert found is not None
    pieces = [piece for rank in range(ranks) for piece in layout.pieces(found[0].output_chunks(rank))]
    elements = sorted((piece.parameter, i) for piece in pieces for i in range(piece.start, piece.stop))
    assert elements == [(number, i) for number, count in enumerate(counts) for i in range(count)]
    for piece in pieces:
        count = counts[piece.parameter]
        assert piece.first % 16 == 0 and piece.start - 16 < piece.first <= piece.start
        assert piece.last(count) == count or (piece.last(count) % 16 == 0 and piece.last(count) < piece.stop + 16)


@given(COUNTS, st.integers(1, 6))
def test_the_parameters_are_gathered_where_their_gradients_were_summed(counts: list[int], ranks: int) -> None:
    layout, found = Layout(counts), halves(build("ring", ranks, sum(counts)))
    assert found is not None
    schedule = layout.schedule_of_parameters(found[1])
    assert sum(chunk.length for chunk in schedule.chunks) == layout.elements
    for of_gradients, moved in zip(found[1].chunks, schedule.chunks, strict=True):
        pieces = layout.pieces([of_gradients])
        elements = {layout.starts[p.parameter] + i for p in pieces for i in range(p.start, p.stop)}
        assert elements <= set(range(moved.offset, moved.offset + moved.length))


def test_every_parameter_begins_at_a_cache_line() -> None:
    layout = Layout([3, 16, 17, 1])
    assert layout.starts == [0, 16, 32, 64, 80] and layout.elements == 80


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_a_rank_sends_as_much_as_in_the_all_reduce(ranks: int) -> None:
    counts = [10, 2560, 256, 256 * 256, 256, 64 * 256]  # mlp on digits
    layout, whole = Layout(counts), build("ring", ranks, sum(counts))
    found = halves(whole)
    assert found is not None
    gather = layout.schedule_of_parameters(found[1]).elements_sent()
    for scattered, gathered, reduced in zip(found[0].elements_sent(), gather, whole.elements_sent(), strict=True):
        assert reduced <= scattered + gathered < 1.01 * reduced


def test_neighbouring_chunks_make_one_piece() -> None:
    layout = Layout([10, 10])
    found = layout.pieces([Chunk(8, 4), Chunk(2, 6)])
    assert [(piece.parameter, piece.start, piece.stop) for piece in found] == [(0, 2, 10), (1, 0, 2)]
