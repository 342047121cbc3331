"""ARCHITECTURE.md names every package, and whatever it and CONTRIBUTING.md name is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text()
PACKAGES = ("workers/ringscope", "workers/ringscope_agent", "backend/ringscope_server")
BASES = (
    "",
    "frontend/src/",
    "frontend/src/components/",
    "frontend/src/lib/",
    *(f"{package}/" for package in PACKAGES),
    "workers/ringscope/engine/",
)
NAMED = sorted({name for name in re.findall(r"`([\w./]+)`", PAGE) if name.endswith((".py", "/")) or "/" in name})
SUBPACKAGES = sorted(
    str(path.parent.relative_to(ROOT)) for package in PACKAGES for path in (ROOT / package).glob("*/__init__.py")
)

MADE = {"test-results/web", "build/docs", "build/pythons"}  # by `make test`, `make docs` and `make test-pythons`
PLACEHOLDER = re.compile(r"NAME|NOUN|NNNN|VERB")  # in CONTRIBUTING.md, of a file that one makes
PLACES = sorted(
    name.rpartition("/")[0] if PLACEHOLDER.search(name) else name
    for name in set(re.findall(r"`([\w./]+/[\w./]*)`", (ROOT / "CONTRIBUTING.md").read_text()))
    if not PLACEHOLDER.search(name.rpartition("/")[0])
)


@pytest.mark.parametrize("name", [name for name in PLACES if name not in MADE])
def test_the_places_of_a_change_are_there(name: str) -> None:
    is_there = any((ROOT / base / name).exists() for base in ("", "workers/ringscope", "tests", "benchmarks"))
    assert is_there, f"CONTRIBUTING.md sends people to {name}, which is not there: write where it is now"


@pytest.mark.parametrize("name", NAMED)
def test_what_the_page_names_is_there(name: str) -> None:
    is_there = any((ROOT / f"{base}{name}").exists() for base in BASES)
    assert is_there, f"ARCHITECTURE.md names {name}, which is not there: write where it is now"


@pytest.mark.parametrize("package", SUBPACKAGES)
def test_the_page_has_every_package_and_the_package_says_what_it_is(package: str) -> None:
    is_named = f"{Path(package).name}/`" in PAGE
    assert is_named, f"give {package} a row in ARCHITECTURE.md, in the table of its layer"
    is_told = (ROOT / package / "__init__.py").read_text().startswith('"""')
    assert is_told, f"begin {package}/__init__.py with a docstring that says what the package is"
