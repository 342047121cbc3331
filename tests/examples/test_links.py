"""Relative links of the documents lead to files and headings that exist, and the site's navigation has every page."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# scripts/docs_site.py adds them to the site under these names.
ROOT_PAGES = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
PAGES = [*(ROOT / name for name in ROOT_PAGES), *sorted(DOCS.rglob("*.md"))]
FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


@cache
def anchors(page: Path) -> set[str]:
    """Return the names that Git hosts and the site give to the headings of a page."""
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} (.+)$", FENCE.sub("", page.read_text()), re.MULTILINE):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip()).lower()
        name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        assert name not in found, (
            f"{page.relative_to(ROOT)} has two headings {heading!r}: an anchor cannot tell them apart"
        )
        found.add(name)
    return found


def broken(page: Path, text: str) -> Iterator[str]:
    """Yield each relative link that leads to no file or to no heading."""
    for target in LINK.findall(FENCE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        other = (page.parent / path).resolve() if path else page
        if not other.exists() or (anchor and (other.suffix != ".md" or anchor not in anchors(other))):
            yield target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    assert list(broken(page, page.read_text())) == []


def test_a_broken_link_and_a_broken_anchor_are_found() -> None:
    text = "[a](engine.md#rails) [b](engine.md#rail) [c](no.md) [d](https://no.example) [e](#rails)\n```\n[f](no)\n```"
    assert list(broken(DOCS / "engine.md", text)) == ["engine.md#rail", "no.md"]


def test_the_navigation_has_every_page_once() -> None:
    def named(entry: object) -> Iterator[str]:
        if isinstance(entry, str):
            yield entry
        else:
            for part in entry if isinstance(entry, list) else entry.values():
                yield from named(part)

    listed = list(named(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]))
    pages = [*ROOT_PAGES.values(), *(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))]
    assert sorted(listed) == sorted(pages)
