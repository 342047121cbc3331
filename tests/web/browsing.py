"""A browser's visit: logged in, watched for errors and for requests to anybody else."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

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
# The link to the form of a job that has ended; after a disturbance it proposes to wait for quiet nodes.
AGAIN = re.compile("Run again|Measure again when quiet")
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# All rules are run; of those that hold nothing is gathered, and nothing comes over.
# Of a button half under the top bar axe sees half, and calls it too small. Style sheets that the browser failed to load
# would be asked for once more, for a rule that is not among these.
RUN_AXE = """async tags => {
  scrollTo(0, 0)
  return (await axe.run({runOnly: tags, resultTypes: ['violations'], preload: {assets: ['media']}})).violations
}"""
# What a page that comes later does not have.
CONTENT = "h1:not([aria-busy] h1)"  # of a page that has come: the one before it has a heading, too
MARK = "document.querySelectorAll('main > *').forEach(part => { part.dataset.left = '' })"

expect.set_options(timeout=DEADLINE_MS)


def tell(line: str) -> None:
    """A measured number, for who runs pytest with -rP."""
    sys.stdout.write(f"{line}\n")


@dataclass
class Site:
    """Something that serves the page."""

    lab: Lab
    link: str = field(repr=False)
    # With the page's files in their cache; of one scheme and width each, and logged in together or by itself.
    spare_tabs: dict[tuple[str, int, bool], Page] = field(default_factory=dict, repr=False, kw_only=True)

    @property
    def url(self) -> str:
        return self.lab.url

    def get(self, path: str) -> Any:
        """An answer of the API, asked without the browser."""
        return self._api.get(f"{self.url}/api/v1{path}").raise_for_status().json()

    def post(self, path: str, body: object) -> httpx.Response:
        return self._api.post(f"{self.url}/api/v1{path}", json=body)

    def fresh_link(self) -> str:
        return str(self.post("/login-links", {}).raise_for_status().json()["url"])

    @cached_property
    def _api(self) -> httpx.Client:
        """One for all questions: each client reads all certificates of this machine, which takes longer than an answer.

        It keeps no connection, which the server would close in the end.
        """
        headers = {"Authorization": f"Bearer {token(self.lab.data_dir)}"}
        return httpx.Client(headers=headers, timeout=60, limits=httpx.Limits(max_keepalive_connections=0))


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
        expect(self.page.locator(CONTENT)).to_have_count(1)
        return self.page

    def follow(self, path: str) -> Page:
        """The page of another route with its content, as by a link to it: of what is loaded nothing is loaded again."""
        if not self.page.url.startswith(self.site.url):
            return self.open(path)
        self.page.evaluate(MARK)
        self.page.evaluate("path => history.pushState(null, '', path)", path)
        expect(self.page.locator("main > [data-left]")).to_have_count(0)
        expect(self.page.locator(CONTENT)).to_have_count(1)
        return self.page

    def expect_error(self, part: str) -> None:
        """A console message that this test provokes, such as the browser's own about an answer 422."""
        self.expected.append(part)

    def violations(self) -> list[str]:
        """Return what axe finds on the page in its present state."""
        if not self.page.evaluate("'axe' in window"):
            # As a person would in the console: the page's policy forbids scripts that are written into it.
            developer = self.page.context.new_cdp_session(self.page)
            developer.send("Runtime.evaluate", {"expression": AXE.read_text()})
            developer.detach()
        found = self.page.evaluate(RUN_AXE, WCAG)
        return [f"{v['id']}: {node['html'][:160]} {node['failureSummary']}" for v in found for node in v["nodes"]]

    def last_look(self) -> str:
        """Return what the page shows and has written to the console, for the report of a failed test."""
        try:
            shown = self.page.locator("body").inner_text(timeout=5_000)
        except PlaywrightError as error:
            shown = str(error)
        console = "\n".join(self.console[-LAST_LINES:])
        return f"{self.page.url} showed:\n{shown[:4000]}\nIts console:\n{console}"

    def shoot(self, name: str) -> None:
        """A picture for people, in test-results/web, if the variable SCREENSHOTS asks for pictures."""
        if not os.environ.get("SCREENSHOTS"):
            return
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SHOTS / f"{name}.png", full_page=True)


@contextmanager
def visiting(
    browser: Browser,
    site: Site,
    scheme: Literal["light", "dark"] = "light",
    width: int = 1440,
    *,
    has_own_session: bool = False,
    wears_out: bool = False,
) -> Iterator[Visit]:
    """A logged-in tab that shows nothing yet; no error may be left over and no request may leave the site.

    A tab without errors serves the next visit, emptied: another would load and compile the whole page anew.
    Who logs out, or in as somebody else, needs a session of his own. Who slows the tab down wears it out.
    """
    kind = (scheme, width, has_own_session)
    page = None if wears_out else site.spare_tabs.pop(kind, None)
    if page is None:
        page = _new_tab(browser, scheme, width)
        _log_in(page, site)
    elif has_own_session:
        _log_in(page, site)
    visit = Visit(site, page)

    def on_console(message: ConsoleMessage) -> None:
        visit.console.append(f"{message.type}: {message.text}")
        if message.type in ("error", "warning") and not any(part in message.text for part in visit.expected):
            visit.errors.append(message.text)

    def on_page_error(error: PlaywrightError) -> None:
        visit.errors.append(str(error))

    def on_request(request: Request) -> None:
        if urlsplit(request.url).netloc != urlsplit(site.url).netloc:
            visit.errors.append(f"a request left the site: {request.url}")

    page.on("console", on_console)
    page.on("pageerror", on_page_error)
    page.on("request", on_request)
    is_spare = False
    try:
        yield visit
        assert visit.errors == [], visit.errors
        page.remove_listener("console", on_console)
        page.remove_listener("pageerror", on_page_error)
        page.remove_listener("request", on_request)
        if not wears_out:
            _empty(page, site)
            site.spare_tabs[kind] = page
            is_spare = True
    except Exception as error:
        error.add_note(visit.last_look())
        raise
    finally:
        if not is_spare:
            page.context.close()


def _new_tab(browser: Browser, scheme: Literal["light", "dark"], width: int) -> Page:
    """The only tab of a new browser profile."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
    context.set_default_timeout(DEADLINE_MS)
    return context.new_page()


def _log_in(page: Page, site: Site) -> None:
    """Nothing but the cookie: the page itself is the test's to open."""
    page.context.clear_cookies()
    (secret,) = parse_qs(urlsplit(site.fresh_link()).query)["token"]
    session = f"{site.url}/api/v1/session"
    answer = page.context.request.post(session, data={"token": secret}, timeout=DEADLINE_MS)
    assert answer.status == 204, answer.text()


def _empty(page: Page, site: Site) -> None:
    """Takes away what a visit has left in its tab, but for the session and the files of the page."""
    page.goto("about:blank")
    page.unroute_all(behavior="ignoreErrors")
    page.emulate_media(reduced_motion="null")
    page.context.clear_permissions()
    developer = page.context.new_cdp_session(page)
    developer.send("Storage.clearDataForOrigin", {"origin": site.url, "storageTypes": "local_storage"})
    developer.detach()


def choose(page: Page, group: str, choice: str, *, exact: bool = False) -> None:
    """Takes one of the choices that the address keeps, in the panel "Options" if it is not in sight.

    It is checked once the address has it. `check()` would look before, and fail where the router is slow.
    """
    radio = page.get_by_role("radiogroup", name=group, exact=exact).get_by_role("radio", name=choice, exact=exact)
    options = page.get_by_role("button", name="Options")
    expect(radio.or_(options).filter(visible=True).first).to_be_visible()
    is_behind = not radio.is_visible() and options.is_visible()
    if is_behind:
        options.click()
    radio.click()
    expect(radio).to_be_checked()
    if is_behind:
        page.keyboard.press("Escape")
