"""ARCHITECTURE.md is the map of the house: what it names is there, and it names every room."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text()
PACKAGES = ("workers/ringscope", "workers/ringscope_agent", "backend/ringscope_server")
BASES = ("", "frontend/src/", *(f"{package}/" for package in PACKAGES), "workers/ringscope/engine/")
NAMED = sorted({name for name in re.findall(r"`([\w./]+)`", PAGE) if name.endswith((".py", "/")) or "/" in name})
ROOMS = sorted(
    str(path.parent.relative_to(ROOT)) for package in PACKAGES for path in (ROOT / package).glob("*/__init__.py")
)


@pytest.mark.parametrize("name", NAMED)
def test_what_the_map_names_is_there(name: str) -> None:
    assert any((ROOT / f"{base}{name}").exists() for base in BASES)


@pytest.mark.parametrize("room", ROOMS)
def test_the_map_has_every_room_and_the_room_says_what_it_is(room: str) -> None:
    assert f"`{Path(room).name}/`" in PAGE or f"{Path(room).name}/`" in PAGE
    assert (ROOT / room / "__init__.py").read_text().startswith('"""')
