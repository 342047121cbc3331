"""What an agent takes where nobody says otherwise."""

import pytest

from ringscope.engine.cores import RankCores
from ringscope_agent import settings
from ringscope_agent.settings import AgentSettings


@pytest.mark.parametrize(("cores", "most", "slots"), [(8, None, 8), (8, 5, 5), (1, None, 1)])
def test_a_node_has_a_slot_for_each_core_that_its_agent_may_use(
    monkeypatch: pytest.MonkeyPatch, cores: int, most: int | None, slots: int
) -> None:
    """Physical ones, and no more than the quota of the control group; see tests/engine/test_cores.py."""
    monkeypatch.delenv("RINGSCOPE_SLOTS", raising=False)
    monkeypatch.setattr(settings, "own_cores", lambda: RankCores("", "", frozenset(range(cores)), most))
    assert AgentSettings(name="n1").slots == slots
    assert AgentSettings(name="n1", slots=64).slots == 64, "more where it is asked for"
