"""The network interfaces of this machine."""

from pathlib import Path

_INTERFACES = Path("/sys/class/net")


def is_virtual(name: str) -> bool:
    """Return whether an interface has no network card of its own, such as a bridge or a container's end."""
    return not (_INTERFACES / name / "device").exists()
