"""What an agent's ranks find in their environment."""

from pathlib import Path

from tests.rank.test_foreign import LEAKING, USERS_OWN

from ringscope.contracts.rank_process import TOKEN_VARIABLE
from ringscope_agent.launch.launcher import rank_environment
from ringscope_agent.paths import AttemptPaths


def test_ranks_of_an_agent_in_a_batch_job_see_nothing_of_it(tmp_path: Path) -> None:
    paths = AttemptPaths(folder=tmp_path, sockets=tmp_path)
    inherited = LEAKING | USERS_OWN | {"RINGSCOPE_JOIN_TOKEN": "secret"}
    found = rank_environment(inherited, Path("/python"), tmp_path, "token", paths, None, {"MINE": "1"})
    assert not LEAKING.keys() & found.keys()
    assert "RINGSCOPE_JOIN_TOKEN" not in found
    assert (USERS_OWN | {"PATH": "/python:/bin", "MINE": "1", TOKEN_VARIABLE: "token"}).items() <= found.items()
