"""Where the things of one attempt lie on this node."""

from pathlib import Path

from pydantic import BaseModel

from ringscope.rank.kit import Kit


def control_group_note(folder: Path) -> Path:
    """The same for an attempt that has only its folder."""
    return folder / "control-group"


class AttemptPaths(BaseModel):
    """Paths that agent, keeper and ranks agree on.

    ``sockets`` is apart from ``folder``: a Unix socket's path is limited to 107 bytes, which a data directory may use
    up alone.
    """

    folder: Path
    sockets: Path

    @property
    def kit(self) -> Kit:
        """What the ranks are given."""
        return Kit(self.folder)

    @property
    def status(self) -> Path:
        """The keeper's last word, for an agent that finds no keeper."""
        return self.folder / "status.json"

    @property
    def control_group(self) -> Path:
        """Where the keeper notes which control group the attempt's processes are in."""
        return control_group_note(self.folder)

    @property
    def ranks_socket(self) -> Path:
        """Where the keeper listens to the ranks."""
        return self.sockets / "ranks.sock"

    @property
    def keeper_socket(self) -> Path:
        """Where the keeper listens to the agent."""
        return self.sockets / "keeper.sock"
