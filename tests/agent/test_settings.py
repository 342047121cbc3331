"""An agent has default settings for slots, variables and NCCL's RAS address."""

import pytest

from ringscope.contracts.environment import DEFAULT_PATTERNS
from ringscope.engine.cores import RankCores
from ringscope_agent import settings
from ringscope_agent.settings import AgentSettings, SettingsError, read_settings


@pytest.mark.parametrize(("cores", "most", "slots"), [(8, None, 8), (8, 5, 5), (1, None, 1)])
def test_a_node_has_a_slot_for_each_core_that_its_agent_may_use(
    monkeypatch: pytest.MonkeyPatch, cores: int, most: int | None, slots: int
) -> None:
    """Physical ones, and no more than the quota of the control group; see tests/engine/test_cores.py."""
    monkeypatch.delenv("RINGSCOPE_SLOTS", raising=False)
    monkeypatch.setattr(settings, "own_cores", lambda: RankCores("", "", frozenset(range(cores)), most))
    assert AgentSettings(name="n1").slots == slots
    assert AgentSettings(name="n1", slots=64).slots == 64, "more where it is asked for"


@pytest.mark.parametrize(("given", "slots"), [(None, 4), ("GPU-2, GPU-3", 2), ("", 8)])
def test_a_node_with_gpus_has_a_slot_for_each_that_its_agent_may_use(
    monkeypatch: pytest.MonkeyPatch, given: str | None, slots: int
) -> None:
    """Two jobs then share none."""
    monkeypatch.delenv("RINGSCOPE_SLOTS", raising=False)
    monkeypatch.setattr(settings, "own_cores", lambda: RankCores("", "", frozenset(range(8)), None))
    monkeypatch.setattr(settings, "find_uuids", lambda: [f"GPU-{number}" for number in range(4)])
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if given is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", given)
    assert AgentSettings(name="n1").slots == slots
    assert AgentSettings(name="n1", slots=64).slots == 64, "more where it is asked for"


def test_a_node_takes_the_usual_variables_unless_its_operator_names_others(monkeypatch: pytest.MonkeyPatch) -> None:
    assert AgentSettings(name="n1").allow_env == DEFAULT_PATTERNS
    assert read_settings({"allow_env": ["default", "LD_PRELOAD"]}).allow_env == (*DEFAULT_PATTERNS, "LD_PRELOAD")
    assert read_settings({"allow_env": [""]}).allow_env == ()
    monkeypatch.setenv("RINGSCOPE_ALLOW_ENV", "NCCL_*, UCX_*")
    assert AgentSettings(name="n1").allow_env == ("NCCL_*", "UCX_*")
    with pytest.raises(SettingsError, match=r"'A=B' is no pattern of a name; write for example NCCL_\*"):
        read_settings({"allow_env": ["A=B"]})


def test_the_address_of_nccls_ras_has_a_port() -> None:
    assert read_settings({}).nccl_ras == ""
    assert read_settings({"nccl_ras": "localhost:28028"}).nccl_ras == "localhost:28028"
    with pytest.raises(SettingsError, match=r"'localhost' has no port; write it like localhost:28028\."):
        read_settings({"nccl_ras": "localhost"})
