"""Settings: RINGSCOPE_* variables and flags, read once at start and passed down."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Everything about this server that an operator may change."""

    model_config = SettingsConfigDict(env_prefix="RINGSCOPE_", frozen=True, extra="ignore")

    data_dir: Path = Field(
        Path("~/.local/share/ringscope"), description="SQLite file, tokens, spools and logs lie here."
    )
    host: str = Field("127.0.0.1", description="Address that the server listens on.")
    port: int = Field(8000, ge=0, le=65535, description="Port of API and web page; 0 takes any free one.")
    public_url: str = Field("", description="URL under which people reach the server; default http://host:port.")
    max_body_bytes: int = Field(16 << 20, ge=1024, description="Largest request body that is read.")
    scheduler_interval_seconds: float = Field(1.0, gt=0, description="Longest pause between two passes.")
    poll_seconds: float = Field(5.0, gt=0, description="How long an agent's poll is held when nothing changes.")
    start_deadline_seconds: float = Field(30.0, gt=0, description="Every rank of a gang must run by then.")
    session_days: int = Field(30, ge=1, description="A browser stays logged in for so long.")

    @property
    def data_path(self) -> Path:
        """The data directory with ~ resolved."""
        return self.data_dir.expanduser()
