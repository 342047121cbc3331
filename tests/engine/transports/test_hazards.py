from hypothesis import given
from hypothesis import strategies as st

from ringscope.engine.transports.hazards import Action, programs
from ringscope.schedules.algorithms import SCHEDULES
from ringscope.schedules.messages import Message
from ringscope.schedules.schedule import Schedule, Transfer, partition


class Memory:
    """Ranks that pull in an arbitrary order, as far as their waits allow; a value is a set of contributions."""

    def __init__(self, schedule: Schedule, in_place: bool) -> None:
        self.schedule = schedule
        self.programs = programs(schedule, in_place)
        self.send = [[frozenset({rank}) for _ in schedule.chunks] for rank in range(schedule.ranks)]
        self.recv = self.send if in_place else [[None] * len(schedule.chunks) for _ in range(schedule.ranks)]
        self.aside = [{} for _ in range(schedule.ranks)]
        self.progress = [0] * schedule.ranks
        self.returned = [False] * schedule.ranks

    def ready(self) -> list[int]:
        return [rank for rank in range(self.schedule.ranks) if not self.returned[rank] and self._may(rank)]

    def _may(self, rank: int) -> bool:
        program, done = self.programs[rank], self.progress[rank] - 1
        if done < 0:
            return True
        waits = program.actions[done].waits if done < len(program.actions) else program.final_waits
        return all(self.progress[peer] >= value for peer, value in waits)

    def advance(self, rank: int) -> None:
        program, done = self.programs[rank], self.progress[rank] - 1
        if done == len(program.actions):
            self.returned[rank] = True
            self.send[rank] = ["the caller's again"] * len(self.schedule.chunks)
            return
        if done >= 0:
            self._act(program.actions[done])
        self.progress[rank] += 1

    def _act(self, action: Action) -> None:
        m = action.message
        if action.commit:
            values = self.aside[m.dst].pop(action.scratch)
        else:
            values = [self._read(m, source, target) for source, target in zip(m.reads, m.writes, strict=True)]
        if action.scratch is not None and not action.commit:
            self.aside[m.dst][action.scratch] = values
            return
        for target, value in zip(m.writes, values, strict=True):
            self.recv[m.dst][target] = value

    def _read(self, m: Message, source: int, target: int) -> frozenset[int]:
        value = (self.send if m.src_is_input else self.recv)[m.src][source]
        if not m.reduce:
            return value
        own = (self.send if m.own_is_input else self.recv)[m.dst][target]
        assert not own & value, "a contribution is added twice"
        return own | value


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
    assert program.actions == []
    assert program.untouched == [0]


def test_an_exchange_is_kept_aside_until_both_have_read():
    exchange = (Transfer("x", 0, 0, 0, 1, reduce=True), Transfer("x", 0, 0, 1, 0, reduce=True))
    schedule = Schedule(2, partition(4, 1), (exchange,))
    for program in programs(schedule, in_place=True):
        assert [(action.scratch, action.commit) for action in program.actions] == [(0, False), (0, True)]
        assert program.scratch_count == 4
    assert all(len(program.actions) == 1 for program in programs(schedule, in_place=False)), "inputs stay as they are"
