"""The web page: the built files of frontend/, or the one command that builds them."""

from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from ringscope_server.http.precompressed import Precompressed

MISSING = """<!doctype html><title>Ringscope</title>
<h1>The web page is not built</h1>
<p>Run <code>make ui</code> in the checkout, then reload. The API works without it: <a href="docs">/docs</a>.</p>"""


# Paths that are not the page's: their Accept header may matter.
NO_PAGES = ("/api/", "/metrics", "/healthz", "/readyz", "/docs", "/openapi")


class AnyAccept:
    """ASGI middleware: sends the page to clients that accept anything, such as curl, and not only to browsers.

    FastAPI sends the page for a path without a file only if the client asks for HTML by name.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, as one for HTML if it may be that."""
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and is_page(scope["path"]):
            accepted = Headers(scope=scope).get("accept", "").strip() or "*/*"  # RFC 9110: no or an empty header is any
            if "*/*" in accepted or "text/*" in accepted:
                kept = [(name, value) for name, value in scope["headers"] if name != b"accept"]
                scope = {**scope, "headers": [*kept, (b"accept", b"text/html")]}
        await self.app(scope, receive, send)


def is_page(path: str) -> bool:
    """Return whether a browser that requests this path gets the page."""
    return "." not in path.rpartition("/")[2] and not path.startswith(NO_PAGES)


def built_files() -> Path | None:
    """Return the folder of the built page: in the wheel, or in the checkout of an editable install."""
    package = Path(str(files("ringscope_server")))
    for place in (package / "static", package.parents[1] / "frontend" / "dist"):
        if (place / "index.html").is_file():
            return place
    return None


def install(app: FastAPI, place: Path | None) -> None:
    """Serve the page's files, or a page on how to build it, on every path without a route."""
    if place is not None:
        app.add_middleware(AnyAccept)
        app.add_middleware(Precompressed, directory=place)
        app.frontend("/", directory=place, fallback="index.html")
        return

    @app.get("/", include_in_schema=False)
    @app.get("/login", include_in_schema=False)
    async def not_built() -> HTMLResponse:
        return HTMLResponse(MISSING, 503)
