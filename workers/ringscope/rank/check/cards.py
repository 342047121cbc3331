"""Rates of this machine's network cards, as their drivers report them."""

import re
from pathlib import Path

_CLASSES = Path("/sys/class")
_INFINIBAND = re.compile(r"([0-9.]+) Gb/sec")


def card_rates(classes: Path = _CLASSES) -> dict[str, float]:
    """Return the rate of each link in Gbit/s by name: 0 for a card without a link; virtual interfaces are left out."""
    found: dict[str, float] = {}
    for interface in sorted(classes.glob("net/*")):
        if not (interface / "device").exists() or (rate := _ethernet(interface)) is None:
            continue
        found[interface.name] = rate
    for port in sorted(classes.glob("infiniband/*/ports/*")):
        rate = _infiniband(port)
        if rate is not None:
            found[f"{port.parents[1].name}:{port.name}"] = rate
    return found


def _ethernet(interface: Path) -> float | None:
    """Return the rate of a card; None if its driver does not report one, as those of virtual machines do not."""
    if _text(interface / "operstate") == "down":
        return 0.0
    try:
        rate = int(_text(interface / "speed"))
    except ValueError:
        return None
    return rate / 1e3 if rate > 0 else None


def _infiniband(port: Path) -> float | None:
    if not _text(port / "state").endswith("ACTIVE"):
        return 0.0
    match = _INFINIBAND.match(_text(port / "rate"))
    return float(match[1]) if match else None


def _text(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:  # the kernel answers so if the link is down
        return ""
