"""Actions run after the import of a module, which stays as it would be without them."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ringscope.rank.watch.imports import after_import


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"watched_{tmp_path.name.replace('-', '_')}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("from .part import *\n")
    (tmp_path / name / "part.py").write_text("def call():\n    return 'own'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    return name


def test_a_function_is_replaced_before_the_package_copies_it(package: str) -> None:
    def act(module: ModuleType) -> None:
        module.call = lambda: "watched"

    after_import({f"{package}.part": act})
    module = importlib.import_module(package)
    assert module.call() == "watched"


def test_an_import_leaves_no_trace_but_the_action(package: str) -> None:
    found: list[str] = []
    after_import({f"{package}.part": lambda module: found.append(module.__name__)})
    before = len(sys.meta_path)
    part = importlib.import_module(f"{package}.part")
    assert found == [f"{package}.part"]
    assert len(sys.meta_path) == before - 1
    assert part.__spec__.loader is part.__loader__
    assert type(part.__loader__).__module__ == "_frozen_importlib_external"
    assert importlib.reload(part).call() == "own"


def test_a_module_that_is_there_is_acted_on_at_once_and_a_missing_one_is_still_missing(package: str) -> None:
    found: list[str] = []
    after_import({"json": lambda module: found.append(module.__name__), f"{package}.no": lambda module: None})
    assert found == ["json"]
    with pytest.raises(ModuleNotFoundError, match="no"):
        importlib.import_module(f"{package}.no")


def test_the_watch_itself_does_not_import_torch() -> None:
    code = "import sys, ringscope.rank.watch.steps, ringscope.rank.script; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=30).returncode == 0
