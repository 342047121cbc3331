import shutil

import pytest

from ringscope.engine.base import require_memory
from ringscope.engine.errors import OutOfMemoryError


def test_what_fits_is_fine(tmp_path):
    require_memory(1 << 20)
    require_memory(1 << 20, str(tmp_path))


def test_too_much_for_the_machine():
    with pytest.raises(OutOfMemoryError, match=r"need 1024 TiB but memory has .* free; lower max_bytes"):
        require_memory(1 << 50)


def test_too_much_for_a_small_mount(monkeypatch, tmp_path):
    free_bytes = shutil.disk_usage(tmp_path).free
    monkeypatch.setattr("psutil.virtual_memory", lambda: type("M", (), {"available": 1 << 60})())
    with pytest.raises(OutOfMemoryError, match=rf"but {tmp_path} has .* or enlarge {tmp_path}\.$"):
        require_memory(free_bytes * 2, str(tmp_path))
