"""The agent's settings: flags, else RINGSCOPE_* variables, else defaults; read once at the start."""

import os
import socket
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from ringscope.contracts.address import LOOPBACK, is_loopback, parse_address, with_port
from ringscope.contracts.environment import DEFAULT, checked_patterns, patterns_of
from ringscope.contracts.findings import field_errors
from ringscope.contracts.metrics.scrape import linger_seconds
from ringscope.contracts.protocol import checked_year
from ringscope.contracts.words.units import parse_rate
from ringscope.engine.cores import own_cores
from ringscope.engine.own_address import address_towards, addresses_of, is_only_here
from ringscope_agent.gpus import find_uuids, own_gpus
from ringscope_agent.metrics.exporter import MAX_WORLD_SIZE

METRICS_PORT = 9465


class SettingsError(Exception):
    """The agent cannot start with these settings; the text is one sentence for the person who started it."""


class AgentSettings(BaseSettings):
    """The settings of one agent."""

    model_config = SettingsConfigDict(env_prefix="RINGSCOPE_", extra="ignore", frozen=True)

    server: str = Field(
        "http://127.0.0.1:8000", description="URL of the Ringscope server; separate several URLs by commas."
    )
    name: str = Field(default_factory=socket.gethostname, min_length=1, max_length=200, description="Node name.")
    slots: int = Field(
        default_factory=lambda: len(own_gpus(find_uuids(), os.environ)) or own_cores().at_once,
        ge=1,
        le=4096,
        description="Number of ranks at once. Default: one for each GPU that the agent may use, so that no two jobs "
        "share one; without GPUs one for each physical core.",
    )
    address: str = Field("", description="Address at which other nodes reach this one; /metrics listens there as well.")
    link_speed: str = Field(
        "",
        description="Rate of this node's network, such as 10Gbit/s, where its driver does not know it, as behind a "
        "virtual card or a shaper of traffic. Default: what the driver reports.",
    )
    metrics_port: int | None = Field(
        None,
        ge=0,
        le=65_535,
        description=f"Port of /metrics; 0 takes any free one. Default: {METRICS_PORT}, or a free one if it is taken.",
    )
    data_dir: Path = Field(
        Path("~/.local/share/ringscope"), description="Directory of spools, logs and the token file."
    )
    token: SecretStr | None = Field(None, description="This node's token, for a node that does not join.")
    token_file: Path | None = Field(
        None, description="File of this node's token; default: agent-token in the data directory."
    )
    join_token: SecretStr | None = Field(
        None,
        description="Token with which this node gets a token of its own, at its first start and if the server refuses"
        " its token.",
    )
    join_token_file: Path | None = Field(
        None, description="File of a join token, instead of --join-token; default: join-token in the data directory."
    )
    labels: dict[str, str] = Field(default_factory=dict, description="Labels that the selector of a placement matches.")
    leaves_at: datetime | None = Field(
        None, description="When a batch system takes this node back: ISO 8601 with a zone, or seconds since 1970."
    )
    leaves: bool = Field(
        False,
        description="Take this node off the server's lists when its agent is stopped in good order; leaves_at implies"
        " it.",
    )
    fault: str | None = Field(None, description="A fault to inject into the ranks; see ringscope.contracts.record.")
    scrape_interval_seconds: float = Field(
        1.0,
        gt=0,
        description="Prometheus's scrape interval; a job's series are kept for twice as long after its end, at least "
        "5 s.",
    )
    wait_for_scrape_seconds: float = Field(
        0.0, ge=0, le=60, description="Longest time that ranks wait until Prometheus has seen their counters at zero."
    )
    rank_series_max_world_size: int = Field(
        MAX_WORLD_SIZE,
        ge=0,
        description="Largest gang with series for each rank; a larger one has one series for each node.",
    )
    scripts: Path | None = Field(
        None, description="Folder of the Python files that jobs of kind script may run; without it they are refused."
    )
    allow_env: Annotated[tuple[str, ...], NoDecode] = Field(
        (DEFAULT,),
        max_length=100,
        validate_default=True,
        description="Pattern of the names of environment variables that jobs may set here, such as NCCL_*; the word "
        "default stands for the usual ones, which are in docs/scripts.md. Names of LD_*, PYTHON* and PATH need a "
        "pattern that begins like that.",
    )
    nccl_ras: str = Field(
        "",
        description="HOST:PORT of NCCL's RAS (NCCL_RAS_ADDR; NCCL's default is localhost:28028): the agent asks it for "
        "the state of the jobs that run here, and the node's page shows it. Default: it does not ask.",
    )
    keep_checkpoints_hours: float = Field(
        168.0, gt=0, description="Hours for which a job's checkpoints stay on this node after its end."
    )
    gpu_metrics: bool = Field(False, description="Export GPU metrics, for nodes without dcgm-exporter.")
    away_seconds: float = Field(20.0, gt=0, description="Seconds for which ranks continue without their agent.")
    rank_module: str = Field("ringscope.rank", description="Python module that every rank runs.")

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

    @field_validator("nccl_ras")
    @classmethod
    def _is_an_address(cls, address: str) -> str:
        return with_port(address) if address else ""

    @field_validator("link_speed")
    @classmethod
    def _is_a_rate(cls, rate: str) -> str:
        if rate:
            parse_rate(rate)
        return rate

    @field_validator("scripts")
    @classmethod
    def _is_a_folder(cls, path: Path | None) -> Path | None:
        if path is not None and not path.is_dir():
            raise ValueError(f"{path} is no folder; name the one that holds the scripts, or leave it out.")
        return path

    @field_validator("allow_env", mode="before")
    @classmethod
    def _is_a_list(cls, given: Any) -> Any:
        return given.replace(",", " ").split() if isinstance(given, str) else given

    @field_validator("allow_env")
    @classmethod
    def _are_patterns(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        return patterns_of(checked_patterns(given))

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
        """``address``; if it is not given, loopback if the server is on this machine, else the host's name.

        If other machines cannot resolve that name to this one, use this machine's address towards the server.
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
    def link_mbit_per_s(self) -> int | None:
        """Return ``link_speed`` in Mbit/s, at least 1; None if it is not given."""
        return max(1, round(parse_rate(self.link_speed) * 8 / 1e6)) if self.link_speed else None

    @property
    def metrics_linger_seconds(self) -> float:
        """Seconds for which a job's series are kept after its end, so that Prometheus sees their last values."""
        return linger_seconds(self.scrape_interval_seconds)

    @property
    def says_goodbye(self) -> bool:
        """Return whether the node leaves the cluster when its agent is stopped."""
        return self.leaves or self.leaves_at is not None

    @property
    def token_path(self) -> Path:
        """The file that holds this node's token."""
        return self.token_file or self.data_dir / "agent-token"

    def read_token(self) -> str | None:
        """Return this node's token on disk; None if there is none. Raises SettingsError if it cannot be read."""
        return _read_secret("token_file", self.token_path, may_miss=True)

    def read_join_token(self) -> str | None:
        """Return the current join token; a server that makes another one writes it into the same file.

        Return None if there is none. Raises SettingsError for a file that cannot be read.
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
    """Build the settings from the given flags (None means not given), over the environment. Raises SettingsError."""
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return AgentSettings(**given)
    except ValidationError as error:
        raise SettingsError(" ".join(found.detail for found in field_errors(error))) from None
