"""An agent's ranks get an environment without the batch system's variables, and with the job's own."""

from pathlib import Path

from tests.rank.test_foreign import LEAKING, USERS_OWN

from ringscope.contracts.rank_process import SOCKET_VARIABLE, THREADS_VARIABLE, TOKEN_VARIABLE
from ringscope_agent.launch.launcher import rank_environment
from ringscope_agent.paths import AttemptPaths


def test_ranks_of_an_agent_in_a_batch_job_see_nothing_of_it(tmp_path: Path) -> None:
    paths = AttemptPaths(folder=tmp_path, sockets=tmp_path)
    inherited = LEAKING | USERS_OWN | {"RINGSCOPE_JOIN_TOKEN": "secret"}
    found = rank_environment(inherited, Path("/python"), tmp_path, "token", paths, None, {"MINE": "1"}, {})
    assert not LEAKING.keys() & found.keys()
    assert "RINGSCOPE_JOIN_TOKEN" not in found
    assert (USERS_OWN | {"PATH": "/python:/bin", "MINE": "1", TOKEN_VARIABLE: "token"}).items() <= found.items()


def test_a_jobs_variables_decide_over_threads_and_over_nothing_that_the_attempt_needs(tmp_path: Path) -> None:
    paths = AttemptPaths(folder=tmp_path, sockets=tmp_path)
    kind = {THREADS_VARIABLE: "4", "RINGSCOPE_SCRIPTS": "/scripts"}

    def found(asked: dict[str, str]) -> dict[str, str]:
        inherited = {"PATH": "/bin", "NCCL_ALGO": "Tree", THREADS_VARIABLE: "9"}
        return rank_environment(inherited, Path("/python"), tmp_path, "token", paths, None, kind, asked)

    assert found({})[THREADS_VARIABLE] == "4"
    asked = {THREADS_VARIABLE: "2", "NCCL_ALGO": "Ring"}
    assert found(asked).items() >= asked.items()
    hostile = {TOKEN_VARIABLE: "mine", SOCKET_VARIABLE: "/mine", "RINGSCOPE_SCRIPTS": "/", "PATH": "/mine"}
    usual = found({})
    assert found(hostile) == usual | {"PATH": "/python:/mine"}
