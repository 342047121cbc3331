import pytest

from ringscope_agent.launch.stopped import LOOK_SECONDS, STOPPED_SECONDS, Stopped, StoppedWatch

PIDS = {"mpiexec": 7, "hydra_pmi_proxy": 8}


def looks(states: list[dict[str, str]], every_seconds: float = LOOK_SECONDS) -> list[Stopped | None]:
    watch = StoppedWatch()
    return [watch.look(PIDS, state, every_seconds * place) for place, state in enumerate(states)]


def test_a_process_that_stays_stopped_is_named_with_its_pid_and_its_state() -> None:
    enough = int(STOPPED_SECONDS / LOOK_SECONDS)
    found = looks([{"mpiexec": "S", "hydra_pmi_proxy": "T"}] * (enough + 1))
    assert found[:enough] == [None] * enough
    assert found[enough] == Stopped("hydra_pmi_proxy", 8, STOPPED_SECONDS)
    sentence = "hydra_pmi_proxy on node n1 (pid 8) has been stopped for 5 s (state T: by SIGSTOP or SIGTSTP)"
    assert Stopped("hydra_pmi_proxy", 8, STOPPED_SECONDS).sentence("n1") == sentence


@pytest.mark.parametrize("state", ["R", "S", "D", "t", "Z", ""])
def test_one_that_is_slow_or_under_a_debugger_or_has_ended_is_not_stopped(state: str) -> None:
    assert looks([{"mpiexec": state}] * 1000) == [None] * 1000


def test_a_short_stop_is_forgotten() -> None:
    most = int(STOPPED_SECONDS / LOOK_SECONDS)
    assert set(looks(([{"mpiexec": "T"}] * most + [{"mpiexec": "S"}]) * 5)) == {None}


def test_looks_that_come_late_count_as_little_as_the_watching_process_may_have_stood_still() -> None:
    assert looks([{"mpiexec": "T"}] * 3, every_seconds=100.0) == [None] * 3
