"""Pieces of slabs never overlap, and what is given back is there again."""

from hypothesis import given
from hypothesis import strategies as st

from ringscope.engine.memory.arena import ALIGNMENT_BYTES, FIRST_SLAB_BYTES, LARGEST_SLAB_BYTES, Arena, Piece


def taken(arena: Arena, size_bytes: int) -> Piece:
    if (piece := arena.take(size_bytes)) is None:
        arena.add_slab(arena.slab_bytes(size_bytes))
        piece = arena.take(size_bytes)
    assert piece is not None
    return piece


@given(st.lists(st.tuples(st.integers(0, 3 * FIRST_SLAB_BYTES), st.integers(0, 5)), max_size=60))
def test_pieces_that_are_taken_never_overlap(steps: list[tuple[int, int]]) -> None:
    arena, held = Arena(), list[Piece]()
    for size_bytes, number in steps:
        piece = taken(arena, size_bytes)
        assert piece.size >= size_bytes and piece.start % ALIGNMENT_BYTES == 0
        for other in held:
            apart = piece.start + piece.size <= other.start or other.start + other.size <= piece.start
            assert piece.slab != other.slab or apart
        held.append(piece)
        if number < len(held):
            arena.give_back(held.pop(number))


@given(st.permutations(range(12)), st.lists(st.integers(1, 100_000), min_size=12, max_size=12))
def test_what_was_given_back_in_any_order_is_one_whole_again(order: list[int], sizes: list[int]) -> None:
    arena = Arena()
    arena.add_slab(FIRST_SLAB_BYTES << 1)
    pieces = [taken(arena, size) for size in sizes]
    for number in order:
        arena.give_back(pieces[number])
    assert arena.take(FIRST_SLAB_BYTES << 1) == Piece(0, 0, FIRST_SLAB_BYTES << 1)


def test_slabs_double_up_to_a_bound_and_a_larger_piece_has_one_that_is_little_larger() -> None:
    arena = Arena()
    sizes = []
    for _ in range(12):
        sizes.append(arena.slab_bytes(8))
        arena.add_slab(sizes[-1])
    assert sizes[:3] == [FIRST_SLAB_BYTES, 2 * FIRST_SLAB_BYTES, 4 * FIRST_SLAB_BYTES]
    assert sizes[-1] == LARGEST_SLAB_BYTES
    assert arena.slab_bytes(0) == LARGEST_SLAB_BYTES
    for larger in (LARGEST_SLAB_BYTES + 1, LARGEST_SLAB_BYTES * 5 // 4, 2 * LARGEST_SLAB_BYTES, 7 * LARGEST_SLAB_BYTES):
        assert larger <= arena.slab_bytes(larger) <= larger * 5 // 4
        assert arena.slab_bytes(larger) % ALIGNMENT_BYTES == 0


def test_large_pieces_that_grow_little_by_little_share_few_slabs() -> None:
    arena, slabs = Arena(), set[int]()
    for size_bytes in range(LARGEST_SLAB_BYTES, 4 * LARGEST_SLAB_BYTES + 1, LARGEST_SLAB_BYTES // 256):
        piece = taken(arena, size_bytes)
        slabs.add(piece.slab)
        arena.give_back(piece)  # one is held at a time
    assert len(slabs) <= 1 + 2 * 4, "four for each doubling"
