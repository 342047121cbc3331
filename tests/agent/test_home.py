"""The agent's data directory."""

from pathlib import Path

from ringscope_agent.home import DataHome


def test_what_ranks_said_is_for_nobody_else(tmp_path: Path) -> None:
    home = DataHome(tmp_path / "below" / "data", "n1")
    home.close()
    assert (tmp_path / "below" / "data").stat().st_mode & 0o777 == 0o700
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    DataHome(shared, "n1").close()
    assert shared.stat().st_mode & 0o777 == 0o755, "whoever made it has said who may read it"
