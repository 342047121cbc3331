"""The paths of one attempt's files on this node."""

from pathlib import Path

from pydantic import BaseModel

from ringscope.rank.kit import Kit


def control_group_note(folder: Path) -> Path:
    """Return the path of the control group's note for an attempt that has only its folder."""
    return folder / "control-group"


class AttemptPaths(BaseModel):
    """The paths that agent, shim and ranks agree on.

    ``sockets`` is apart from ``folder``: a Unix socket's path is limited to 107 bytes, which a data directory may use
    up alone.
    """

    folder: Path
    sockets: Path

    @property
    def kit(self) -> Kit:
        """The folder of what the ranks are given."""
        return Kit(self.folder)

    @property
    def status(self) -> Path:
        """The file of the shim's last status, for an agent that finds no shim."""
        return self.folder / "status.json"

    @property
    def control_group(self) -> Path:
        """The file in which the shim notes the control group of the attempt's processes."""
        return control_group_note(self.folder)

    @property
    def ranks_socket(self) -> Path:
        """The socket on which the shim listens to the ranks."""
        return self.sockets / "ranks.sock"

    @property
    def shim_socket(self) -> Path:
        """The socket on which the shim listens to the agent."""
        return self.sockets / "shim.sock"
