"""A local Prometheus for `ringscope up --prometheus`: the one on PATH with the files of deploy/prometheus."""

import os
import shutil
import socket
from dataclasses import dataclass
from pathlib import Path

import httpx

from ringscope.cli.patience import Patience
from ringscope.cli.processes.children import Children
from ringscope.contracts.errors import UserError
from ringscope.contracts.shipped_files import TOKEN_FILE, prometheus_files, scrape_configuration

HOST = "127.0.0.1"  # the server requires no token


@dataclass(frozen=True)
class Prometheus:
    """A Prometheus that can be started: the program, and a port that is free."""

    program: str
    port: int

    @property
    def address(self) -> str:
        """Host and port."""
        return f"{HOST}:{self.port}"

    @property
    def url(self) -> str:
        """Return the URL of its page."""
        return f"http://{self.address}"


def find_prometheus(port: int) -> Prometheus:
    """Return the program and its port, 0 for any free one; UserError if one of them is not available."""
    program = shutil.which("prometheus")
    if program is None:
        raise UserError(
            "Prometheus was not found on PATH; install it (Debian: `apt-get install prometheus`) "
            "or leave --prometheus out."
        )
    try:
        with socket.create_server((HOST, port)) as listener:
            return Prometheus(program, listener.getsockname()[1])
    except OSError as error:
        raise UserError(
            f"Prometheus cannot listen on {HOST}:{port} ({error.strerror}); choose another port with "
            "--prometheus-port, or 0 for any free one."
        ) from error


def start_prometheus(prometheus: Prometheus, children: Children, server_url: str, data_dir: Path) -> None:
    """Start it for the server on the data directory and wait until it is ready; all of its files are in that
    directory.
    """
    folder = data_dir / "prometheus"
    try:
        config = write_configuration(prometheus.address, server_url, folder, os.environ.get("RINGSCOPE_CLUSTER"))
    except OSError as error:
        raise UserError(
            f"{folder} cannot be written ({error.strerror}); make it writable or leave --prometheus out."
        ) from error
    child = children.run("prometheus", command(prometheus, config))
    patience = Patience("Prometheus")
    for _ in patience:
        children.check()
        if _is_ready(prometheus):
            return
    raise UserError(f"Prometheus {patience.failure}; see {child.log}.")


def command(prometheus: Prometheus, config: Path) -> tuple[str, ...]:
    """Return its command line; its data are stored next to the configuration."""
    return (
        prometheus.program,
        f"--config.file={config}",
        f"--storage.tsdb.path={config.parent / 'data'}",
        f"--web.listen-address={prometheus.address}",
        "--enable-feature=exemplar-storage",
    )


def write_configuration(address: str, server_url: str, folder: Path, cluster: str | None = None) -> Path:
    """Write the shipped files to a folder of the data directory, with addresses, cluster and the server's token."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / "rules", ignore_errors=True)  # files of an older version may be different
    shutil.copytree(prometheus_files() / "rules", folder / "rules")
    token = folder / TOKEN_FILE
    token.unlink(missing_ok=True)
    token.symlink_to(Path("..", "admin-token"))
    config = folder / "prometheus.yml"
    config.write_text(scrape_configuration(server_url, address, cluster))
    return config


def _is_ready(prometheus: Prometheus) -> bool:
    try:
        return httpx.get(f"{prometheus.url}/-/ready", trust_env=False).is_success
    except httpx.TransportError:
        return False
