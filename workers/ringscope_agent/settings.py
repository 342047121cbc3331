"""The agent's settings: flags, else RINGSCOPE_* variables, else defaults; read once at the start."""

import os
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from ringscope.spec import field_errors

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")


class SettingsError(Exception):
    """The agent cannot start with these settings; the text is one sentence for the person who started it."""


class AgentSettings(BaseSettings):
    """What one agent needs to know."""

    model_config = SettingsConfigDict(env_prefix="RINGSCOPE_", extra="ignore", frozen=True)

    server: str = Field("http://127.0.0.1:8000", description="URL of the Ringscope server.")
    name: str = Field(default_factory=socket.gethostname, min_length=1, max_length=200, description="Node name.")
    slots: int = Field(default_factory=lambda: os.cpu_count() or 1, ge=1, le=4096, description="Ranks at once.")
    address: str = Field("", description="Where the other nodes reach this one; also /metrics listens there.")
    metrics_port: int = Field(9465, ge=0, le=65_535, description="Port of /metrics; 0 takes any free one.")
    data_dir: Path = Field(Path("~/.local/share/ringscope"), description="Spools, logs and the token file.")
    token: SecretStr | None = Field(None, description="The agent's token; else it is read from token_file.")
    token_file: Path | None = Field(None, description="Default: agent-token in the data directory.")
    labels: dict[str, str] = Field(default_factory=dict, description="For the selector of a placement.")
    fault: str | None = Field(None, description="Drill, handed to the ranks: see ringscope.record.")
    metrics_linger_seconds: float = Field(5.0, ge=0, description="How long a job's series outlive the job.")
    rank_module: str = Field("ringscope.rank", description="The Python module that every rank runs.")

    @field_validator("server")
    @classmethod
    def _is_http_url(cls, server: str) -> str:
        url = urlsplit(server)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError(f"{server!r} is no URL of a server; write it like http://127.0.0.1:8000.")
        return server.rstrip("/")

    @field_validator("name")
    @classmethod
    def _fits_into_a_url(cls, name: str) -> str:
        if "/" in name:
            raise ValueError(f"{name!r} has a slash, which splits the paths of the API; use another character.")
        return name

    @field_validator("address")
    @classmethod
    def _is_one_host(cls, address: str) -> str:
        if any(sign in address for sign in ",: "):
            raise ValueError(f"{address!r} is no host name or IPv4 address, which is all that Hydra takes; give one.")
        return address

    @field_validator("data_dir", "token_file")
    @classmethod
    def _expand_home(cls, path: Path | None) -> Path | None:
        return path.expanduser().absolute() if path is not None else None

    @property
    def reachable_address(self) -> str:
        """``address``, or what it is when nobody said: loopback beside the server, else the host's name."""
        if self.address:
            return self.address
        return "127.0.0.1" if urlsplit(self.server).hostname in LOOPBACK_NAMES else socket.gethostname()

    @property
    def token_path(self) -> Path:
        """The file that holds the token."""
        return self.token_file or self.data_dir / "agent-token"

    def read_token(self) -> str:
        """The bearer token. Raises SettingsError when there is none."""
        if self.token is not None and self.token_file is None:
            return self.token.get_secret_value().strip()
        try:
            token = self.token_path.read_text().strip()
        except OSError as error:
            raise SettingsError(
                f"token: {self.token_path} cannot be read ({error.strerror}); "
                "set RINGSCOPE_TOKEN, or write the agent's token into that file."
            ) from None
        if not token:
            raise SettingsError(f"token: {self.token_path} is empty; write the agent's token into it.")
        return token


def read_settings(flags: dict[str, Any]) -> AgentSettings:
    """Settings from flags that were given (None: not given) over the environment. Raises SettingsError."""
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return AgentSettings(**given)
    except ValidationError as error:
        raise SettingsError(" ".join(found.detail for found in field_errors(error))) from None
