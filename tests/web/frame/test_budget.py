"""A first visit downloads few bytes."""

import gzip
import re
from collections.abc import Iterable

from tests.web.browsing import ROOT

DIST = ROOT / "frontend" / "dist"
KIB = 1024
LATER_IMPORT = re.compile(r'import\([`"]\./([^`"]+\.js)[`"]\)')
STATIC_IMPORT = re.compile(r'(?:from|import)"\./([^"]+\.js)"')


def gzipped_bytes(*names: str) -> int:
    return sum(len(gzip.compress((DIST / name).read_bytes(), 9)) for name in names)


def needed(names: Iterable[str]) -> set[str]:
    """The scripts, and all that they import at once."""
    found: set[str] = set()
    new = set(names)
    while new:
        found |= new
        scripts = [(DIST / name).read_text() for name in new]
        new = {f"assets/{name}" for script in scripts for name in STATIC_IMPORT.findall(script)} - found
    return found


def parts_of(name: str) -> list[str]:
    """Return the files that a script loads later, when they are needed."""
    return [f"assets/{part}" for part in LATER_IMPORT.findall((DIST / name).read_text())]


def of_the_entry(suffix: str) -> list[str]:
    """Return the files that index.html names."""
    named = re.findall(rf'"/(assets/[^"]+\.{suffix})"', (DIST / "index.html").read_text())
    assert named
    return named


def test_the_entry_is_small() -> None:
    styles = of_the_entry("css")
    assert gzipped_bytes(*needed(of_the_entry("js"))) <= 235 * KIB
    assert gzipped_bytes(*styles) <= 20 * KIB


def test_every_route_is_small() -> None:
    """Each page with any one of its parts needs little besides the entry, with all files that they import."""
    entry = needed(of_the_entry("js"))
    pages = [path.relative_to(DIST).as_posix() for path in DIST.glob("assets/*Page-*.js")]
    assert len(pages) >= 5
    routes = [[page] for page in pages] + [[page, part] for page in pages for part in parts_of(page)]
    # A job's page has a part for each of its tabs, and one more for training.
    assert len(routes) >= len(pages) + 6
    sizes_kib = {" ".join(route): gzipped_bytes(*(needed(route) - entry)) / KIB for route in routes}
    assert {route: size for route, size in sizes_kib.items() if size > 60} == {}
    # What a page draws with lies in a file that others use as well.
    assert max(len(needed([name]) - entry) for name in pages) > 1


def test_a_tab_without_a_chart_loads_none() -> None:
    [page] = [path.relative_to(DIST).as_posix() for path in DIST.glob("assets/JobPage-*.js")]
    [log] = [part for part in parts_of(page) if part.startswith("assets/Log-")]
    assert not any("usePlot" in name for name in needed([page, log]))
    assert any("usePlot" in name for part in parts_of(page) for name in needed([part]))


def test_every_large_file_lies_there_compressed() -> None:
    large = [path for path in DIST.rglob("*") if path.suffix in (".js", ".css", ".html") and path.stat().st_size >= KIB]
    assert large
    for path in large:
        for suffix in (".br", ".gz"):
            compressed = path.with_name(path.name + suffix)
            assert compressed.is_file(), compressed
            assert compressed.stat().st_size < path.stat().st_size
