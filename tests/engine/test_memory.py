import shutil

import pytest
from tests.engine.groups import groups as groups

from ringscope.engine.base import require_memory
from ringscope.engine.errors import OutOfMemoryError

pytestmark = pytest.mark.usefixtures("groups")


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


def test_too_much_for_the_control_group(monkeypatch, groups):
    monkeypatch.setattr("psutil.virtual_memory", lambda: type("M", (), {"available": 1 << 40})())
    groups.belong("0::/pods/pod\n", ("/", "", ""))

    def limit(folder, most, current, cached=0):
        stat = f"anon 1\ninactive_file {cached}\nactive_file {cached}\nshmem 9999"
        groups.write(folder, {"memory.max": most, "memory.current": current, "memory.stat": stat})

    require_memory(1 << 30)
    limit("pods/pod", "max", 0)
    require_memory(1 << 30)
    limit("pods/pod", 8 << 20, 3 << 20)
    require_memory(5 << 20)
    with pytest.raises(OutOfMemoryError, match=r"need 6 MiB but its control group has 5 MiB free; lower"):
        require_memory(6 << 20)
    limit("pods/pod", 8 << 20, 8 << 20, cached=2 << 20)
    require_memory(4 << 20)  # what was read from files goes when memory is needed
    limit("pods", 4 << 20, 3 << 20)
    with pytest.raises(OutOfMemoryError, match="has 1 MiB free"):
        require_memory(2 << 20)
