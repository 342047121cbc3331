"""Settings: RINGSCOPE_* variables and flags, read once at start and passed down."""

import json
import re
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from ringscope.contracts.metrics.scrape import linger_seconds
from ringscope.contracts.protocol import HEARTBEAT_SECONDS, REQUEST_SECONDS
from ringscope_server.urls import networks

MIN_SECRET_LENGTH = 32
_ROOT_PATH = re.compile(r"(?:/[A-Za-z0-9._~-]+)+")
_OWN_PATHS = ("api", "assets", "docs", "healthz", "login", "metrics", "openapi.json", "readyz")


class Settings(BaseSettings):
    """Everything about this server that an operator may change."""

    model_config = SettingsConfigDict(env_prefix="RINGSCOPE_", frozen=True, extra="ignore")

    data_dir: Path = Field(
        Path("~/.local/share/ringscope"), description="Directory of the SQLite file, tokens, spools and logs."
    )
    database_url: str = Field(
        "",
        repr=False,  # it has a password in it
        description="postgresql://USER:PASSWORD@HOST/NAME for several servers; default: SQLite in the data directory.",
    )
    host: str = Field("127.0.0.1", description="Address that the server listens on.")
    port: int = Field(8000, ge=0, le=65535, description="Port of API and web page; 0 takes any free one.")
    public_url: str = Field("", description="URL under which people reach the server; default http://host:port.")
    root_path: str = Field(
        "", description="Path that a proxy puts before the server, such as /ringscope; default: the path of public_url."
    )
    max_body_bytes: int = Field(16 << 20, ge=1024, description="Largest request body of an agent.")
    scheduler_interval_seconds: float = Field(1.0, gt=0, description="Longest pause between two passes.")
    poll_seconds: float = Field(
        HEARTBEAT_SECONDS,
        gt=0,
        description=f"How long an agent's poll is held when nothing changes; {HEARTBEAT_SECONDS:g} at most.",
    )
    start_deadline_seconds: float = Field(
        60.0, gt=0, description="Longest time for each part of a start, if a job does not give start_seconds."
    )
    start_deadline_seconds_per_node: float = Field(
        3.0,
        ge=0,
        description="Time for each node of a gang that each part of a start may take, if the product is longer.",
    )
    lease_seconds: float = Field(
        10.0, gt=0, description="Time after which another server takes over scheduling if the scheduling one is silent."
    )
    fair_share_half_life_hours: float = Field(
        168.0, gt=0, description="Time after which a user's past usage counts half."
    )
    allow_preemption: bool = Field(False, description="Whether a job of higher priority may end one of lower priority.")
    most_other_load_percent: float = Field(
        10.0,
        ge=0,
        description="Other load, in percent of a node's processors, above which a benchmark gives no best or expected"
        " value.",
    )
    max_queued_jobs_per_user: int = Field(
        0, ge=0, description="Most queued jobs of one user; more are refused. 0 means no limit."
    )
    max_running_slots_per_user: int = Field(
        0,
        ge=0,
        description="Most slots that one user's jobs may use at once; further jobs wait in the queue. 0 means no "
        "limit.",
    )
    scrape_interval_seconds: float = Field(
        1.0,
        gt=0,
        description="Prometheus's scrape interval; a job's metrics are kept for twice as long after its end, at least"
        " 5 s.",
    )
    cluster: str = Field("ringscope", min_length=1, description="Name of this cluster, a label of its nodes' metrics.")
    requests_per_second: float = Field(
        50.0, ge=0, description="Requests per second of one token, with bursts of four seconds; 0 means no limit."
    )
    max_streams_per_token: int = Field(
        100, ge=0, description="Most live streams of one token and its sessions; more are refused. 0 means no limit."
    )
    webhook_private_addresses: Annotated[list[str], NoDecode] = Field(
        [], description="Networks inside your own that webhooks may reach, such as 10.0.0.0/8,fd00::/8."
    )
    session_days: int = Field(30, ge=1, description="Days for which a browser stays logged in.")
    join_token: SecretStr | None = Field(
        None,
        repr=False,
        description="A secret of 32 characters or more with which agents may join, for agents that start "
        "automatically.",
    )
    metrics_token: SecretStr | None = Field(
        None,
        repr=False,
        description="A secret of 32 characters or more with which Prometheus may read everything.",
    )

    prometheus_url: str = Field("", description="URL of Prometheus, for links to it.")
    grafana_url: str = Field("", description="URL of Grafana, for links to it.")

    @field_validator("prometheus_url", "grafana_url")
    @classmethod
    def _is_url(cls, value: str) -> str:
        """A link that a browser follows: nothing but http, so that no script can stand in it."""
        if value and not value.startswith(("http://", "https://")):
            raise PydanticCustomError("not_url", "give an address that begins with http:// or https://")
        return value.rstrip("/")

    @field_validator("root_path")
    @classmethod
    def _is_root_path(cls, value: str) -> str:
        """Return the path without a slash at its end."""
        path = value.rstrip("/")
        if path and (not _ROOT_PATH.fullmatch(path) or path.split("/")[1] in _OWN_PATHS):
            own = ", ".join(f"/{name}" for name in _OWN_PATHS)
            sentence = f"give a path of letters and digits such as /ringscope, and none of the server's own ({own})"
            raise PydanticCustomError("not_root_path", sentence)
        return path

    @field_validator("poll_seconds")
    @classmethod
    def _ends_before_agents_hang_up(cls, seconds: float) -> float:
        """A poll that agents never hear the end of would make them turn from one server to the next."""
        if seconds > HEARTBEAT_SECONDS:
            sentence = f"agents hang up after {REQUEST_SECONDS:g} s; give {HEARTBEAT_SECONDS:g} or less"
            raise PydanticCustomError("long_poll", sentence)
        return seconds

    @field_validator("join_token", "metrics_token")
    @classmethod
    def _is_long(cls, secret: SecretStr | None) -> SecretStr | None:
        """Unlike the server's own secrets this one may be a word that somebody can guess."""
        if secret is not None and len(secret.get_secret_value().strip()) < MIN_SECRET_LENGTH:
            sentence = f"give at least {MIN_SECRET_LENGTH} characters, such as openssl rand -hex 32 prints"
            raise PydanticCustomError("short_secret", sentence)
        return secret

    @field_validator("webhook_private_addresses", mode="before")
    @classmethod
    def _are_networks(cls, value: object) -> object:
        """Flags and variables are text: JSON, or networks with commas between them."""
        try:
            if isinstance(value, str):
                parts = json.loads(value) if value.startswith("[") else value.split(",")
                value = [part.strip() for part in parts if part != ""]
            networks(value)  # type: ignore[arg-type]  # whatever it is, what comes out are networks
        except (ValueError, TypeError, AttributeError) as error:
            sentence = "give networks with commas between them, such as 10.0.0.0/8,fd00::/8"
            raise PydanticCustomError("not_networks", sentence) from error
        return value

    @property
    def metrics_linger_seconds(self) -> float:
        """Return how long a job's metrics outlive the job, so that Prometheus sees their last values."""
        return linger_seconds(self.scrape_interval_seconds)

    @property
    def root(self) -> str:
        """The path that a proxy puts before the server, without a slash at its end; "" where there is none."""
        return self.root_path or urlsplit(self.public_url).path.rstrip("/")

    @property
    def data_path(self) -> Path:
        """The data directory with ~ resolved."""
        return self.data_dir.expanduser()
