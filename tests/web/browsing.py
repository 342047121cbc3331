"""A browser's visit: logged in, watched for errors and for requests to anybody else."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect
from playwright.sync_api import Error as PlaywrightError
from tests.cluster.lab import LAST_LINES, Lab

from ringscope.cli.connection import token

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
SHOTS = ROOT / "test-results" / "web"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DEADLINE_MS = 60_000
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

expect.set_options(timeout=DEADLINE_MS)


def tell(line: str) -> None:
    """A measured number, for who runs pytest with -rP."""
    sys.stdout.write(f"{line}\n")


@dataclass
class Site:
    """Something that serves the page."""

    lab: Lab
    link: str = field(repr=False)

    @property
    def url(self) -> str:
        return self.lab.url

    def get(self, path: str) -> Any:
        """An answer of the API, asked without the browser."""
        headers = {"Authorization": f"Bearer {token(self.lab.data_dir)}"}
        return httpx.get(f"{self.url}/api/v1{path}", headers=headers, timeout=60).raise_for_status().json()

    def post(self, path: str, body: object) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token(self.lab.data_dir)}"}
        return httpx.post(f"{self.url}/api/v1{path}", headers=headers, json=body, timeout=60)

    def fresh_link(self) -> str:
        with self.lab.client() as client:
            return client.login_link().url


@dataclass
class Visit:
    """A tab and what went wrong in it."""

    site: Site
    page: Page
    expected: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        """The page at the path, with its content."""
        self.page.goto(self.site.url + path)
        expect(self.page.locator("h1")).to_have_count(1)
        return self.page

    def expect_error(self, part: str) -> None:
        """A console message that this test provokes, such as the browser's own about an answer 422."""
        self.expected.append(part)

    def violations(self) -> list[str]:
        """What axe finds on the page as it stands."""
        # Of a button half under the top bar axe sees half, and calls it too small.
        self.page.evaluate("scrollTo(0, 0)")
        self.page.add_script_tag(path=AXE)
        found = self.page.evaluate("tags => axe.run({runOnly: tags})", WCAG)["violations"]
        return [f"{v['id']}: {node['html'][:160]} {node['failureSummary']}" for v in found for node in v["nodes"]]

    def last_look(self) -> str:
        """What the page shows and has told the console, for who reads of a test that failed."""
        try:
            shown = self.page.locator("body").inner_text(timeout=5_000)
        except PlaywrightError as error:
            shown = str(error)
        console = "\n".join(self.console[-LAST_LINES:])
        return f"{self.page.url} showed:\n{shown[:4000]}\nIts console:\n{console}"

    def shoot(self, name: str) -> None:
        """A picture for people, in test-results/web."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SHOTS / f"{name}.png", full_page=True)


@contextmanager
def visiting(
    browser: Browser, site: Site, scheme: Literal["light", "dark"] = "light", width: int = 1440
) -> Iterator[Visit]:
    """A new browser profile, logged in by a link; no error may be left over and no request may leave the site."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
    context.set_default_timeout(DEADLINE_MS)
    page = context.new_page()
    visit = Visit(site, page)

    def on_console(message: ConsoleMessage) -> None:
        visit.console.append(f"{message.type}: {message.text}")
        if message.type in ("error", "warning") and not any(part in message.text for part in visit.expected):
            visit.errors.append(message.text)

    def on_request(request: Request) -> None:
        if urlsplit(request.url).netloc != urlsplit(site.url).netloc:
            visit.errors.append(f"a request left the site: {request.url}")

    page.on("console", on_console)
    page.on("pageerror", lambda error: visit.errors.append(str(error)))
    page.on("request", on_request)
    try:
        page.goto(site.fresh_link())
        expect(page.get_by_role("link", name="Jobs", exact=True)).to_be_visible()
        yield visit
        assert visit.errors == [], visit.errors
    except Exception as error:
        error.add_note(visit.last_look())
        raise
    finally:
        context.close()
