"""Sizes as people write them. Sizes are binary (1 MiB = 1048576 B), rates decimal (1 GB/s = 1e9 B/s)."""

import re

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*(?:([kmg])(?:i?b)?|b)?\s*", re.IGNORECASE)
_POWER = {"": 0, "k": 10, "m": 20, "g": 30}


def parse_size(text: str) -> int:
    """Bytes for nccl-tests' notation: "8", "32M", "1.5G", "64 KiB"; letters are binary and of either case.

    Raises ValueError with a sentence for anything else, where nccl-tests would silently take the digits.
    """
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a size; write bytes or a number with K, M or G, such as 64K or 1.5G.")
    return int(float(match[1]) * (1 << _POWER[(match[2] or "").lower()]))


def format_size(size_bytes: int) -> str:
    """The shortest exact-looking name of a size: 8 B, 64 KiB, 1.5 MiB."""
    for power, unit in ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size_bytes >= 1 << power:
            return f"{round(size_bytes / (1 << power), 2):g} {unit}"
    return f"{size_bytes} B"
