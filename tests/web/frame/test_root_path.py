"""The page, the command line and an agent below a path of a proxy, behind a real nginx and a real Caddy."""

import os
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.cluster.lab import Lab, eventually, running

from ringscope.client import is_ready

ROOT = "/ringscope"
SMALL = ("--ranks", "1", "--algorithm", "ring", "-b", "8", "-e", "64", "-n", "2")
# {up} with a path behind it makes nginx cut the prefix off; without one it sends the path on as it came.
NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx-error.log; worker_processes 1;
events {{}}
http {{
  access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    location /ringscope/ {{
      proxy_pass {up};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_read_timeout 1h;
    }}
  }}
}}
"""
CADDY = """
{{
  admin off
  auto_https off
}}
http://127.0.0.1:{port} {{
  reverse_proxy /ringscope/* {up}
}}
"""
STYLES = ("nginx that keeps the path", "nginx that cuts it off", "caddy")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_proxy(style: str, folder: Path, server: str, port: int) -> subprocess.Popen[bytes]:
    """A proxy that leads from its port to the server, both at the path."""
    program = shutil.which("caddy" if style == "caddy" else "nginx")
    if program is None:
        pytest.skip(f"no program for {style}: apt-get install nginx caddy")
    config = folder / "proxy.conf"
    if style == "caddy":
        config.write_text(CADDY.format(port=port, up=server.removeprefix("http://")))
        arguments = ["run", "--adapter", "caddyfile", "--config", str(config)]
    else:
        config.write_text(NGINX.format(folder=folder, port=port, up=server + ("/" if "cuts" in style else "")))
        arguments = ["-e", f"{folder}/nginx-error.log", "-c", str(config)]
    environment = os.environ | {"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    with (folder / "proxy.log").open("wb") as log:
        return subprocess.Popen([program, *arguments], env=environment, stdout=log, stderr=log)


@pytest.fixture(params=STYLES)
def below(request: pytest.FixtureRequest) -> Iterator[tuple[Lab, str]]:
    """A server below a path, and the URL at which a proxy has it; an agent joined through the proxy."""
    with tempfile.TemporaryDirectory(prefix="ringscope-") as path:
        port = free_port()
        url = f"http://127.0.0.1:{port}{ROOT}"
        lab = Lab(Path(path), RINGSCOPE_PUBLIC_URL=url)
        with running(lab.start("server", "--port", "0", "--root-path", ROOT)):
            eventually(lambda: is_ready(lab.url), "the server's readiness")
            proxy = start_proxy(request.param, Path(path), lab.url.removesuffix(ROOT), port)
            try:
                eventually(lambda: is_ready(url), "the proxy's way to the server")
                with running(lab.start("agent", "--server", url, "--slots", "1", "--metrics-port", "0")):
                    lab.wait_for_node()
                    yield lab, url
            finally:
                proxy.terminate()
                proxy.wait()


@pytest.mark.long
def test_everything_works_below_the_path_of_a_proxy(below: tuple[Lab, str], browser: Browser) -> None:
    lab, url = below
    link = lab.run("login", "--url", url, "--next", "/nodes").stdout.strip()
    assert link.startswith(f"{url}/login?"), link
    page = browser.new_page()
    asked, errors = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(link)
    expect(page).to_have_url(f"{url}/nodes")
    page.get_by_role("link", name="Jobs", exact=True).click()
    expect(page).to_have_url(re.compile(f"^{re.escape(url)}/jobs"))
    expect(page.locator("[data-status=live]")).to_be_visible()
    # The row of a job that somebody else submits comes by the live stream, and changes by it.
    done = lab.run("submit", *SMALL, "--name", "below", "--wait", "--url", url)
    assert done.returncode == 0, done.stderr
    assert f"{url}/jobs/1" in done.stdout
    row = page.get_by_role("row").filter(has_text="below")
    expect(row.get_by_text("succeeded")).to_be_visible()
    row.get_by_role("link").first.click()
    expect(page).to_have_url(re.compile(f"^{re.escape(url)}/jobs/1"))
    page.reload()
    expect(page.get_by_role("heading", name="below")).to_be_visible()
    assert [address for address in asked if not address.startswith(f"{url}/")] == []
    assert errors == []
    page.context.close()
