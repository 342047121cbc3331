"""A reader in time gets steps through a ring whole and in order; a late one gets the number of lost steps."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import examples

from ringscope.contracts.record import Iterations, Steps
from ringscope.engine import step_ring
from ringscope.engine.positions import ITERATIONS
from ringscope.engine.step_ring import BEGIN_NS, PLACES, STEPS, StepMemory, StepReader, StepRing, described

RING = {
    "op": "all_reduce",
    "algorithm": "ring",
    "transport": "shared_memory",
    "in_place": False,
    "bytes": 1 << 20,
    "bus_factor": 1.5,
}
STEP_NS = 20_000


class Rank:
    """A rank that writes as a timed block does, with a clock of its own."""

    def __init__(self, rank: int = 0, ranks: int = 1) -> None:
        self.memory = StepMemory(ranks)
        self.position = memoryview(bytearray(8 * 8)).cast("q")
        self.reader: StepReader = self.memory.reader(rank, self.position)
        self.ring = StepRing.opened(self.memory.path, rank)
        self.memory.close()  # both have it mapped
        self.now_ns = 1_000_000
        self.records = 0  # that were read

    def block(self, steps: int, stop_after: int | None = None, is_spaced: bool = False, **fields: object) -> None:
        """``steps`` are announced, of which ``stop_after`` are done."""
        before = self.position[ITERATIONS]
        slot = self.ring.announce(before, steps, described(**RING | fields), is_spaced)
        self.now_ns += 7_000
        if not is_spaced:
            slot[BEGIN_NS] = self.now_ns
        self.go_on(steps if stop_after is None else stop_after, is_spaced)

    def go_on(self, steps: int, is_spaced: bool = False) -> None:
        for _ in range(steps):
            done = self.position[ITERATIONS] + 1
            if is_spaced:
                self.now_ns += 5_000
                self.ring.begins[done & PLACES] = self.now_ns
            self.now_ns += STEP_NS
            self.ring.ends[done & PLACES] = self.now_ns
            self.position[ITERATIONS] = done

    def read(self) -> list[Steps]:
        records = [Iterations.model_validate_json(told.model_dump_json()) for told in self.reader.read()]
        self.records += len(records)
        return [steps for told in records for steps in told.steps()]


@pytest.fixture
def rank() -> Rank:
    return Rank()


def numbers(records: list[Steps]) -> list[int]:
    return [record.first_step + place for record in records for place in range(len(record.start_ns))]


def test_a_block_is_seen_while_it_lasts(rank: Rank) -> None:
    rank.block(100, stop_after=3)
    (first,) = rank.read()
    assert (first.first_step, first.duration_us) == (0, [20.0] * 3)
    assert rank.read() == []
    rank.go_on(2)
    (second,) = rank.read()
    assert (second.first_step, second.duration_us) == (3, [20.0] * 2)
    assert second.start_ns[0] - first.start_ns[-1] == STEP_NS
    assert first.communication_us == first.exposed_us == first.duration_us
    assert {name: getattr(first, name) for name in RING} == RING


def test_each_block_begins_anew_and_says_what_it_times(rank: Rank) -> None:
    rank.block(2)
    rank.block(3, algorithm="direct", in_place=True)
    one, other = rank.read()
    assert [(steps.algorithm, steps.in_place, steps.first_step) for steps in (one, other)] == [
        ("ring", False, 0),
        ("direct", True, 2),
    ]
    assert other.duration_us == [20.0] * 3, "what lies between two blocks is nobody's step"


def test_one_record_takes_all_blocks_that_it_has_room_for(rank: Rank) -> None:
    for _ in range(5):
        rank.block(4)
        rank.block(4, algorithm="direct", is_spaced=True)
    found = rank.read()
    assert [steps.algorithm for steps in found] == ["ring", "direct"] * 5
    assert {steps.start_ns[3] - steps.start_ns[0] for steps in found[0::2]} == {3 * STEP_NS}
    assert {steps.start_ns[3] - steps.start_ns[0] for steps in found[1::2]} == {3 * (STEP_NS + 5_000)}
    assert {duration for steps in found for duration in steps.duration_us} == {20.0}
    assert rank.records == 1
    for _ in range(5):
        rank.block(900)
    assert [len(steps.start_ns) for steps in rank.read()] == [900] * 5
    assert rank.records == 1 + 3


def test_collectives_have_records_of_their_own(rank: Rank) -> None:
    rank.block(2)
    rank.block(2, op="broadcast", bus_factor=1.0)
    assert [(steps.op, steps.bus_factor) for steps in rank.read()] == [("all_reduce", 1.5), ("broadcast", 1.0)]
    assert rank.records == 2


def test_what_lies_between_the_steps_of_a_spaced_block_is_not_theirs(rank: Rank) -> None:
    rank.block(3, is_spaced=True)
    (steps,) = rank.read()
    assert steps.duration_us == [20.0] * 3
    assert steps.start_ns[1] - steps.start_ns[0] == STEP_NS + 5_000


def test_a_block_that_is_announced_and_has_not_begun_tells_nothing(rank: Rank) -> None:
    rank.block(2)
    rank.block(2, stop_after=0)
    assert numbers(rank.read()) == [0, 1]
    rank.go_on(1)
    (steps,) = rank.read()
    assert (steps.first_step, steps.duration_us) == (2, [20.0])


def test_long_blocks_come_in_several_records(rank: Rank) -> None:
    rank.block(4500)
    assert [len(steps.start_ns) for steps in rank.read()] == [2000, 2000, 500]


def test_each_rank_has_its_own_part() -> None:
    last = Rank(rank=2, ranks=3)
    last.block(1)
    assert [steps.rank for steps in last.read()] == [2]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Rank:
    """A rank whose ring laps soon: the layout stays, and fewer of its places are used."""
    monkeypatch.setattr(step_ring, "STEPS", 16)
    monkeypatch.setattr(step_ring, "PLACES", 15)
    monkeypatch.setattr(step_ring, "BLOCKS", 8)
    monkeypatch.setattr(f"{__name__}.PLACES", 15)
    return Rank()


def test_a_reader_that_comes_too_late_counts_what_it_missed(small: Rank) -> None:
    small.block(40)
    found = numbers(small.read())
    assert found == list(range(40 - len(found), 40))
    assert 0 < len(found) <= 15
    assert small.reader.dropped_steps == 40 - len(found)
    small.go_on(0)
    small.block(5)
    assert numbers(small.read()) == list(range(40, 45)), "and goes on"


def test_steps_of_a_block_that_was_written_over_are_counted(small: Rank) -> None:
    for _ in range(10):
        small.block(1)
    found = numbers(small.read())
    assert found == list(range(10 - len(found), 10))
    assert 0 < len(found) <= 7
    assert small.reader.dropped_steps == 10 - len(found)


@given(data=st.data())
@examples(200)
def test_every_step_is_told_once_or_counted_as_dropped(data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("STEPS", 16), ("PLACES", 15), ("BLOCKS", 8)):
            patch.setattr(step_ring, name, value)
        patch.setattr(f"{__name__}.PLACES", 15)
        rank, told, expected = Rank(), list[Steps](), list[tuple[int, str]]()
        for number in range(data.draw(st.integers(1, 8))):
            steps = data.draw(st.integers(0, 30))
            first = data.draw(st.integers(0, steps))
            is_spaced, algorithm = data.draw(st.booleans()), f"algorithm {number}"
            rank.block(steps, stop_after=first, is_spaced=is_spaced, algorithm=algorithm)
            if data.draw(st.booleans()):
                told += rank.read()
            rank.go_on(steps - first, is_spaced)
            expected += [(len(expected) + place, algorithm) for place in range(steps)]
            if data.draw(st.booleans()):
                told += rank.read()
        told += rank.read()
    found = [(step, record.algorithm) for record in told for step in numbers([record])]
    assert len(found) == len(set(found))
    assert set(found) <= set(expected)
    assert len(found) + rank.reader.dropped_steps == len(expected)
    assert {duration for record in told for duration in record.duration_us} <= {20.0}


def test_what_a_block_times_must_fit_into_its_slot() -> None:
    with pytest.raises(ValueError, match="there is room for"):
        described(transport="x" * 600)


def test_memory_that_is_gone_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        StepRing.opened(str(tmp_path / "gone"), 0)
    assert len(StepRing.opened(None, 0).ends) == STEPS
