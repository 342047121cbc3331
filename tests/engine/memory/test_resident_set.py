"""The resident set is that of the process, in bytes."""

import os

import numpy as np
import pytest

from ringscope.engine.memory import resident_set
from ringscope.engine.memory.resident_set import anonymous_bytes, resident_bytes


def test_it_grows_by_what_is_written():
    before = resident_bytes()
    held = np.ones(32 << 20, np.uint8)
    assert resident_bytes() - before == pytest.approx(held.nbytes, rel=0.2)
    assert anonymous_bytes() <= resident_bytes()
    assert resident_bytes(os.getpid()) == pytest.approx(resident_bytes(), rel=0.1)


def test_what_is_read_from_a_mapped_file_is_not_anonymous(tmp_path):
    np.zeros(32 << 20, np.uint8).tofile(tmp_path / "data")
    before = anonymous_bytes()
    mapped = np.memmap(tmp_path / "data", np.uint8, "r")
    assert mapped.sum() == 0
    assert anonymous_bytes() - before < 8 << 20


def test_it_is_unknown_where_there_is_no_such_process(tmp_path, monkeypatch):
    monkeypatch.setattr(resident_set, "_PROC", tmp_path)
    assert resident_bytes() is None
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "statm").write_text("1\n")
    assert resident_bytes(7) is anonymous_bytes(7) is None
