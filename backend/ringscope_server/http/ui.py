"""The web page: the built files of frontend/, or the one command that builds them."""

from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import HTMLResponse

from ringscope_server.http.precompressed import Precompressed

MISSING = """<!doctype html><title>Ringscope</title>
<h1>The web page is not built</h1>
<p>Run <code>make ui</code> in the checkout, then reload. The API works without it: <a href="/docs">/docs</a>.</p>"""


def built_files() -> Path | None:
    """Where the built page lies: in the wheel, or in the checkout of an editable install."""
    package = Path(str(files("ringscope_server")))
    for place in (package / "static", package.parents[1] / "frontend" / "dist"):
        if (place / "index.html").is_file():
            return place
    return None


def install(app: FastAPI, place: Path | None) -> None:
    """Serve the page's files, or without them how to build it, on every path that no route takes."""
    if place is not None:
        app.add_middleware(Precompressed, directory=place)
        app.frontend("/", directory=place, fallback="index.html")
        return

    @app.get("/", include_in_schema=False)
    @app.get("/login", include_in_schema=False)
    async def not_built() -> HTMLResponse:
        return HTMLResponse(MISSING, 503)
