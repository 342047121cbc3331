"""The agent's settings: flags, else RINGSCOPE_* variables, else defaults; read once at the start."""

import socket
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from ringscope.contracts.address import LOOPBACK, is_loopback, parse_address
from ringscope.contracts.findings import field_errors
from ringscope.contracts.metrics.scrape import linger_seconds
from ringscope.contracts.protocol import checked_year
from ringscope.engine.cores import own_place
from ringscope.engine.own_address import address_towards, addresses_of, is_only_here
from ringscope_agent.metrics.exporter import MAX_WORLD_SIZE

METRICS_PORT = 9465


class SettingsError(Exception):
    """The agent cannot start with these settings; the text is one sentence for the person who started it."""


class AgentSettings(BaseSettings):
    """What one agent needs to know."""

    model_config = SettingsConfigDict(env_prefix="RINGSCOPE_", extra="ignore", frozen=True)

    server: str = Field(
        "http://127.0.0.1:8000", description="URL of the Ringscope server; of several, with commas between them."
    )
    name: str = Field(default_factory=socket.gethostname, min_length=1, max_length=200, description="Node name.")
    slots: int = Field(
        default_factory=lambda: own_place().at_once,
        ge=1,
        le=4096,
        description="Ranks at once; default: a slot for each physical core that the agent may use.",
    )
    address: str = Field("", description="Address at which other nodes reach this one; /metrics listens there, too.")
    metrics_port: int | None = Field(
        None,
        ge=0,
        le=65_535,
        description=f"Port of /metrics; 0 takes any free one. Default: {METRICS_PORT}, or a free one if it is taken.",
    )
    data_dir: Path = Field(Path("~/.local/share/ringscope"), description="Spools, logs and the token file.")
    token: SecretStr | None = Field(None, description="This node's token, where it is not to join.")
    token_file: Path | None = Field(
        None, description="File of this node's token; default: agent-token in the data directory."
    )
    join_token: SecretStr | None = Field(
        None, description="Gets this node a token of its own, at its first start and where the server refuses that."
    )
    join_token_file: Path | None = Field(
        None, description="Holds a join token, instead of --join-token; default: join-token in the data directory."
    )
    labels: dict[str, str] = Field(default_factory=dict, description="Labels that the selector of a placement matches.")
    leaves_at: datetime | None = Field(
        None, description="When a batch system takes this node back: ISO 8601 with a zone, or seconds since 1970."
    )
    leaves: bool = Field(
        False,
        description="Stopped in good order, take this node off the server's lists; one with leaves_at always does.",
    )
    fault: str | None = Field(None, description="Drill, handed to the ranks: see ringscope.contracts.record.")
    scrape_interval_seconds: float = Field(
        1.0, gt=0, description="How often Prometheus asks; a job's series outlive it for twice as long, 5 s at least."
    )
    wait_for_scrape_seconds: float = Field(
        0.0, ge=0, le=60, description="Ranks wait so long at most until Prometheus has seen their counters at zero."
    )
    rank_series_max_world_size: int = Field(
        MAX_WORLD_SIZE, ge=0, description="A larger gang has one series on each node, and not one for each rank."
    )
    scripts: Path | None = Field(
        None, description="Folder of Python files that jobs of kind script may run; default: they are refused."
    )
    keep_checkpoints_hours: float = Field(
        168.0, gt=0, description="How long a job's checkpoints stay on this node after it has ended."
    )
    gpu_metrics: bool = Field(False, description="Export what the GPUs do, where no dcgm-exporter runs.")
    away_seconds: float = Field(20.0, gt=0, description="How long ranks go on without their agent, in seconds.")
    rank_module: str = Field("ringscope.rank", description="The Python module that every rank runs.")

    @field_validator("server")
    @classmethod
    def _are_http_urls(cls, server: str) -> str:
        servers = [one.strip().rstrip("/") for one in server.split(",")]
        for one in servers:
            if not one.startswith(("http://", "https://")):
                raise ValueError(f"{one!r} is no URL of a server; write it like http://127.0.0.1:8000.")
            parse_address(one)
        return ",".join(servers)

    @field_validator("name")
    @classmethod
    def _fits_into_a_url(cls, name: str) -> str:
        if "/" in name:
            raise ValueError(f"{name!r} has a slash, which splits the paths of the API; use another character.")
        return name

    @field_validator("address")
    @classmethod
    def _is_one_host(cls, address: str) -> str:
        if address and (parse_address(address).port is not None or ":" in address):
            raise ValueError(f"{address!r} is no host name or IPv4 address, which is all that Hydra takes; give one.")
        return address

    @field_validator("scripts")
    @classmethod
    def _is_a_folder(cls, path: Path | None) -> Path | None:
        if path is not None and not path.is_dir():
            raise ValueError(f"{path} is no folder; name the one that holds the scripts, or leave it out.")
        return path

    @field_validator("leaves_at")
    @classmethod
    def _has_a_zone(cls, time: datetime | None) -> datetime | None:
        if time is not None and time.tzinfo is None:
            raise ValueError(f"{time.isoformat()} has no time zone; add one, as in {time.isoformat()}+00:00.")
        return time and checked_year(time)

    @field_validator("data_dir", "token_file", "join_token_file", "scripts")
    @classmethod
    def _expand_home(cls, path: Path | None) -> Path | None:
        return path.expanduser().absolute() if path is not None else None

    @property
    def reachable_address(self) -> str:
        """``address``, or where it is not given: loopback beside the server, else the host's name.

        A name that only this machine takes for itself is of no use: then it is the address on the way to the server.
        """
        if self.address:
            return self.address
        server = parse_address(self.server.partition(",")[0])
        if is_loopback(server.host):
            return LOOPBACK
        name = socket.gethostname()
        if is_only_here(name) or not addresses_of(name):
            return address_towards(server) or name
        return name

    @property
    def metrics_linger_seconds(self) -> float:
        """How long a job's series outlive the job, so that Prometheus sees their last values."""
        return linger_seconds(self.scrape_interval_seconds)

    @property
    def says_goodbye(self) -> bool:
        """Whether the node leaves the cluster when its agent is stopped."""
        return self.leaves or self.leaves_at is not None

    @property
    def token_path(self) -> Path:
        """The file that holds this node's token."""
        return self.token_file or self.data_dir / "agent-token"

    def read_token(self) -> str | None:
        """This node's token on disk; None when there is none. Raises SettingsError where it cannot be read."""
        return _read_secret("token_file", self.token_path, may_miss=True)

    def read_join_token(self) -> str | None:
        """The token to join with, as it is now: a server that makes another one puts it into the same file.

        None when there is none. Raises SettingsError for a file that cannot be read.
        """
        if self.join_token_file is not None:
            return _read_secret("join_token_file", self.join_token_file, may_miss=False)
        if self.join_token is not None:
            return self.join_token.get_secret_value().strip()
        return _read_secret("join_token_file", self.data_dir / "join-token", may_miss=True)


def _read_secret(setting: str, path: Path, *, may_miss: bool) -> str | None:
    try:
        return path.read_text().strip() or None
    except OSError as error:
        if may_miss and isinstance(error, FileNotFoundError):
            return None
        raise SettingsError(
            f"{setting}: {path} cannot be read ({error.strerror}); name a file that this user can read."
        ) from None


def read_settings(flags: dict[str, Any]) -> AgentSettings:
    """Settings from flags that were given (None: not given) over the environment. Raises SettingsError."""
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return AgentSettings(**given)
    except ValidationError as error:
        raise SettingsError(" ".join(found.detail for found in field_errors(error))) from None
