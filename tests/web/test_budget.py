"""What a first visit downloads."""

import gzip
import re

from tests.web.browsing import ROOT

DIST = ROOT / "frontend" / "dist"
KIB = 1024


def gzipped_bytes(*names: str) -> int:
    return sum(len(gzip.compress((DIST / name).read_bytes(), 9)) for name in names)


def test_the_entry_is_small() -> None:
    entry = re.findall(r'"/(assets/[^"]+)"', (DIST / "index.html").read_text())
    scripts = [name for name in entry if name.endswith(".js")]
    styles = [name for name in entry if name.endswith(".css")]
    assert scripts and styles
    assert gzipped_bytes(*scripts) <= 235 * KIB
    assert gzipped_bytes(*styles) <= 20 * KIB


def test_every_route_is_small() -> None:
    pages = [path.relative_to(DIST).as_posix() for path in DIST.glob("assets/*Page-*.js")]
    assert len(pages) >= 5
    for name in pages:
        assert gzipped_bytes(name) <= 60 * KIB, name


def test_every_large_file_lies_there_compressed() -> None:
    large = [path for path in DIST.rglob("*") if path.suffix in (".js", ".css", ".html") and path.stat().st_size >= KIB]
    assert large
    for path in large:
        for suffix in (".br", ".gz"):
            compressed = path.with_name(path.name + suffix)
            assert compressed.is_file(), compressed
            assert compressed.stat().st_size < path.stat().st_size
