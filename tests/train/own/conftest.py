"""A folder of scripts, in which tests write models and datasets."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ringscope.contracts.rank_process import SCRIPTS_VARIABLE


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Write a file into the folder of scripts."""
    monkeypatch.setenv(SCRIPTS_VARIABLE, str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))  # restored afterwards, because files add their folder

    def written(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return written
