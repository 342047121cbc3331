"""What a first visit downloads."""

import gzip
import re
from collections.abc import Iterable

from tests.web.browsing import ROOT

DIST = ROOT / "frontend" / "dist"
KIB = 1024
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


def of_the_entry(suffix: str) -> list[str]:
    """What index.html names."""
    named = re.findall(rf'"/(assets/[^"]+\.{suffix})"', (DIST / "index.html").read_text())
    assert named
    return named


def test_the_entry_is_small() -> None:
    styles = of_the_entry("css")
    assert gzipped_bytes(*needed(of_the_entry("js"))) <= 235 * KIB
    assert gzipped_bytes(*styles) <= 20 * KIB


def test_every_route_is_small() -> None:
    """All that a page needs beside the entry before it shows, and not its own file alone."""
    entry = needed(of_the_entry("js"))
    pages = [path.relative_to(DIST).as_posix() for path in DIST.glob("assets/*Page-*.js")]
    assert len(pages) >= 5
    sizes_kib = {name: gzipped_bytes(*(needed([name]) - entry)) / KIB for name in pages}
    assert {name: size for name, size in sizes_kib.items() if size > 60} == {}
    # What a page draws with lies in a file that others use as well.
    assert max(len(needed([name]) - entry) for name in pages) > 1


def test_every_large_file_lies_there_compressed() -> None:
    large = [path for path in DIST.rglob("*") if path.suffix in (".js", ".css", ".html") and path.stat().st_size >= KIB]
    assert large
    for path in large:
        for suffix in (".br", ".gz"):
            compressed = path.with_name(path.name + suffix)
            assert compressed.is_file(), compressed
            assert compressed.stat().st_size < path.stat().st_size
