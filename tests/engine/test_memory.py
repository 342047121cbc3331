import shutil

import pytest

from ringscope.engine import control_group
from ringscope.engine.base import require_memory
from ringscope.engine.errors import OutOfMemoryError


@pytest.fixture(autouse=True)
def groups(monkeypatch, tmp_path):
    """Where control groups lie; there are none, whatever the tests run in."""
    monkeypatch.setattr(control_group, "_GROUPS", tmp_path / "groups")
    return tmp_path / "groups"


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


def group(folder, most, current, cached=0):
    """A control group on disk."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.max").write_text(f"{most}\n")
    (folder / "memory.current").write_text(f"{current}\n")
    (folder / "memory.stat").write_text(f"anon 1\ninactive_file {cached}\nactive_file {cached}\nshmem 9999\n")


def test_too_much_for_the_control_group(monkeypatch, tmp_path, groups):
    monkeypatch.setattr("psutil.virtual_memory", lambda: type("M", (), {"available": 1 << 40})())
    monkeypatch.setattr(control_group, "_SELF", tmp_path / "self")
    (tmp_path / "self/ns").mkdir(parents=True)
    (tmp_path / "self/cgroup").write_text("0::/pods/pod\n")
    (tmp_path / "self/ns/cgroup").symlink_to("cgroup:[1234]")
    pod, above = groups / "pods/pod", groups / "pods"
    require_memory(1 << 30)
    group(pod, "max", 0)
    require_memory(1 << 30)
    group(pod, 8 << 20, 3 << 20)
    require_memory(5 << 20)
    with pytest.raises(
        OutOfMemoryError, match=r"need 6 MiB but its control group \(memory\.max\) has 5 MiB free; lower"
    ):
        require_memory(6 << 20)
    group(pod, 8 << 20, 8 << 20, cached=2 << 20)
    require_memory(4 << 20)  # what was read from files goes when somebody needs memory
    group(above, 4 << 20, 3 << 20)
    with pytest.raises(OutOfMemoryError, match="has 1 MiB free"):
        require_memory(2 << 20)
