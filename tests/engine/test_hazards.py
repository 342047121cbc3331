import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringscope.algorithms import SCHEDULES
from ringscope.schedule import Schedule, Transfer, partition
from ringscope.transports.hazards import programs


class Memory:
    """Ranks that pull in an arbitrary order, as far as their waits allow; a value is a set of contributions."""

    def __init__(self, schedule: Schedule, in_place: bool) -> None:
        self.schedule = schedule
        self.programs = programs(schedule, in_place)
        self.send = [[frozenset({rank}) for _ in schedule.chunks] for rank in range(schedule.ranks)]
        self.recv = self.send if in_place else [[None] * len(schedule.chunks) for _ in range(schedule.ranks)]
        self.progress = [0] * schedule.ranks
        self.returned = [False] * schedule.ranks

    def ready(self) -> list[int]:
        return [rank for rank in range(self.schedule.ranks) if not self.returned[rank] and self._may(rank)]

    def _may(self, rank: int) -> bool:
        program, done = self.programs[rank], self.progress[rank] - 1
        if done < 0:
            return True
        waits = program.pulls[done].waits if done < len(program.pulls) else program.final_waits
        return all(self.progress[peer] >= value for peer, value in waits)

    def advance(self, rank: int) -> None:
        program, done = self.programs[rank], self.progress[rank] - 1
        if done == len(program.pulls):
            self.returned[rank] = True
            self.send[rank] = ["the caller's again"] * len(self.schedule.chunks)
            return
        if done >= 0:
            pull = program.pulls[done]
            value = (self.send if pull.src_is_input else self.recv)[pull.src][pull.chunk]
            if pull.reduce:
                own = (self.send if pull.own_is_input else self.recv)[rank][pull.chunk]
                assert not own & value, "a contribution is added twice"
                value = own | value
            self.recv[rank][pull.chunk] = value
        self.progress[rank] += 1


@given(st.sampled_from(sorted(SCHEDULES)), st.integers(2, 7), st.integers(0, 20), st.booleans(), st.data())
def test_any_interleaving_that_the_waits_allow_gives_the_sum(algorithm, ranks, count, in_place, data):
    memory = Memory(SCHEDULES[algorithm](ranks, count), in_place)
    results = {}
    while not all(memory.returned):
        ready = memory.ready()
        assert ready, "deadlock"
        rank = data.draw(st.sampled_from(ready))
        held = list(memory.recv[rank])
        memory.advance(rank)
        if memory.returned[rank]:
            results[rank] = held
    everyone = frozenset(range(ranks))
    for held in results.values():
        for chunk, value in zip(memory.schedule.chunks, held, strict=True):
            assert value == everyone or chunk.length == 0


def test_one_rank_only_copies():
    (program,) = programs(SCHEDULES["ring"](1, 5), in_place=False)
    assert program.pulls == []
    assert program.untouched == [0]


def test_a_step_that_reads_what_it_writes_is_refused():
    exchange = (Transfer("x", 0, 0, 0, 1, reduce=True), Transfer("x", 0, 0, 1, 0, reduce=True))
    with pytest.raises(ValueError, match="both writes and reads chunk 0 of rank 1"):
        programs(Schedule(2, partition(4, 1), (exchange,)), in_place=False)
