"""The agent reads the records that the ranks of its node write into their rings."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ringscope.contracts.job import JobSpec
from ringscope.contracts.protocol import Assignment, GangMember
from ringscope.contracts.rank_process import STEPS_VARIABLE
from ringscope.engine import positions
from ringscope.engine.positions import ITERATIONS
from ringscope.engine.step_ring import BEGIN_NS, StepRing, described
from ringscope_agent.telemetry.rings import Rings


@pytest.fixture
def second_node(assignment: Callable[..., Assignment]) -> Assignment:
    """Return the assignment of the second node, with rank 1, in a gang of two nodes with one rank each."""
    gang = [GangMember(node=name, address="127.0.0.1", slots=1) for name in ("n1", "n2")]
    return assignment().model_copy(update={"gang": gang, "member": 1, "first_rank": 1})


@pytest.fixture
def rings(second_node: Assignment, tmp_path: Path) -> Iterator[Rings]:
    positions.create(tmp_path / "positions", second_node.ranks)
    rings = Rings(second_node, tmp_path / "positions")
    yield rings
    rings.close()


def test_the_ranks_of_this_node_are_read(rings: Rings, tmp_path: Path) -> None:
    assert list(rings.read()) == []
    ring = StepRing.opened(rings.environment[STEPS_VARIABLE], 1)
    position = positions.slot(str(tmp_path / "positions"), 1)
    text = described(op="all_reduce", algorithm="ring", transport="mpi", in_place=True, bytes=8, bus_factor=1.0)
    block = ring.announce(0, 2, text, is_spaced=False)
    block[BEGIN_NS], ring.ends[1], ring.ends[2] = 1000, 1700, 2000
    position[ITERATIONS] = 2
    (told,) = rings.read()
    assert (told.rank, told.first_step, list(told.duration_ns), told.kinds[0].algorithm) == (1, 0, [700, 300], "ring")
    assert rings.dropped_steps == 0


@pytest.mark.parametrize(
    "spec",
    [
        {"kind": "training", "training": {}, "placement": {"ranks": 2}},
        {"benchmark": {"transport": "simulated", "topology": {"shape": "2", "link": "ib200"}}},
    ],
)
def test_ranks_that_tell_their_steps_themselves_get_none(
    spec: dict[str, object], second_node: Assignment, tmp_path: Path
) -> None:
    other = JobSpec.model_validate(spec)
    rings = Rings(second_node.model_copy(update={"spec": other}), tmp_path / "positions")
    assert rings.environment == {}
    assert list(rings.read()) == []
    rings.close()
