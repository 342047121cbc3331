"""Modules are short and folders small, so that a reader finds each thing beside its user."""

import subprocess
from pathlib import Path

import pytest
from scripts import lengths
from scripts.tiers import TIERS

ROOT = Path(__file__).parents[2]
MOST_MODULES = 25
MOST_LINES = 400
SOURCES = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "frontend/src").rglob("*")
    if path.is_dir() and "__" not in path.name
)
PACKAGES = sorted(
    str(path.relative_to(ROOT))
    for top in ("workers", "backend", "benchmarks", "deploy", "examples")
    for path in (ROOT / top).rglob("*")
    if path.is_dir() and not {"node_modules", "__pycache__", "versions"} & {*path.parts}
)
GENERATED = ("/migrations/", "frontend/src/api/schema.ts")
TESTS = sorted({path.parent for path in (ROOT / "tests").rglob("test_*.py")})


@pytest.mark.parametrize("folder", SOURCES)
def test_no_folder_of_the_page_has_more_modules_than_a_reader_takes_in(folder: str) -> None:
    modules = [path.name for path in (ROOT / folder).glob("*.ts*") if ".test." not in path.name]
    assert len(modules) <= MOST_MODULES, "give those of one subject a folder of their own"


@pytest.mark.parametrize("folder", ["scripts", "benchmarks", *PACKAGES])
def test_no_package_has_more_modules_than_a_reader_takes_in(folder: str) -> None:
    modules = [path.name for path in (ROOT / folder).glob("*.py") if path.name != "__init__.py"]
    assert len(modules) <= MOST_MODULES, "give those of one subject a package of their own"


@pytest.mark.parametrize("folder", TESTS, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_no_folder_of_tests_has_more_modules_than_a_reader_takes_in(folder: Path) -> None:
    modules = [path.name for path in folder.glob("test_*.py")]
    assert len(modules) <= MOST_MODULES, "give those of one subject a folder of their own, named as the product's"


@pytest.mark.parametrize("folder", TESTS, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_every_folder_of_tests_is_in_a_tier(folder: Path) -> None:
    tops = [ROOT / top for tier in TIERS for top in tier.folders]
    assert any(folder.is_relative_to(top) for top in tops), "name it in scripts/tiers.py, or nothing runs its tests"


def test_no_module_has_more_lines_than_a_reader_takes_in() -> None:
    names = subprocess.run(("git", "ls-files", "*.py", "*.ts", "*.tsx"), cwd=ROOT, check=True, stdout=subprocess.PIPE)
    paths = [ROOT / name for name in names.stdout.decode().split() if not any(each in name for each in GENERATED)]
    lines = {str(path.relative_to(ROOT)): path.read_text().count("\n") for path in paths if path.exists()}
    assert lines["workers/ringscope_agent/agent.py"] > 20
    assert {name: count for name, count in lines.items() if count >= MOST_LINES} == {}, "find what hides in it"


def test_every_module_is_counted_but_for_migrations() -> None:
    lines = lengths.lines_of()
    assert lines["workers/ringscope_agent/agent.py"] > 20
    assert not any("migrations" in name for name in lines)


def test_files_above_the_limit_are_named_the_longest_first() -> None:
    assert lengths.told({"a.py": 90, "b.py": 400, "c.py": 100, "d.py": 351, "e.py": 1}) == [
        "Modules: 5, median 100 lines (limit 110), the longest 400 (limit 350)",
        "  400 lines: b.py",
        "  351 lines: d.py",
    ]
