"""Amounts as people write them. MiB and M are binary (1048576 B), MB is decimal (1e6 B), as is MB/s."""

import re
from math import floor, log10

_PER_SECOND = {"": 1.0, "s": 1.0, "ms": 1e3, "us": 1e6, "µs": 1e6, "ns": 1e9}
_PREFIXES = ("", "k", "m", "g", "t")
_NUMBER = r"\s*([0-9]{1,15}(?:\.[0-9]{1,15})?|\.[0-9]{1,15})\s*"
_SIZE = re.compile(_NUMBER + r"(?:([kmgt])(i?))?(b?)\s*", re.IGNORECASE)
_RATE = re.compile(_NUMBER + r"([kmgt]?)(i?)(b|bits?)\s*(?:/\s*s|ps)\s*", re.IGNORECASE)
_DURATION = re.compile(_NUMBER + r"(s|ms|us|µs|ns|)\s*")


def is_whole_number(text: str) -> bool:
    """Return whether a text has only the digits 0 to 9; ``int`` alone also accepts digits of other scripts, signs
    and spaces.
    """
    return text.isascii() and text.isdecimal()


def parse_size(text: str) -> int:
    """Bytes: "32M" is binary as in nccl-tests, "32MiB" too, "32MB" decimal as on data sheets; "8" is bytes.

    Upper and lower case are equal, and fractions of a byte are rounded. The page parses sizes likewise: the tests of
    both use the table of examples in its ``lib/sizes.json``. Raises ValueError with a sentence for anything else.
    """
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a size; write for example 64K or 64KiB (binary), 1.2GB (decimal) or 4096.")
    is_binary = bool(match[3]) or not match[4]
    return floor(float(match[1]) * _factor(match[2] or "", is_binary) + 0.5)


def format_size(size_bytes: int, typed: str = "") -> str:
    """Write a size with three significant digits, or all digits of a whole number: 8 B, 64 KiB, 1.5 MiB, 15.3 MiB.

    The units are binary, but decimal if ``typed``, the size that a person gave, is decimal: 1.2 GB. The page writes
    sizes likewise.
    """
    match = _SIZE.fullmatch(typed)
    is_decimal = match is not None and bool(match[2]) and not match[3] and bool(match[4])
    base, units = (1000, ("TB", "GB", "MB", "kB")) if is_decimal else (1024, ("TiB", "GiB", "MiB", "KiB"))
    for power, unit in zip((4, 3, 2, 1), units, strict=True):
        if size_bytes >= base**power:
            value = size_bytes / base**power
            scale = 10 ** max(0, 2 - floor(log10(value)))
            return f"{floor(value * scale + 0.5) / scale:g} {unit}"
    return f"{size_bytes} B"


def parse_rate(text: str) -> float:
    """Bytes per second: "1GB/s" and "1 GiB/s" are in bytes, "10Gbit/s", "10Gbps" and "10Gb/s" in bits.

    Raises ValueError with a sentence for anything else, and for zero.
    """
    match = _RATE.fullmatch(text)
    if match is None or float(match[1]) == 0:
        raise ValueError(f"{text!r} is not a rate; write for example 1GB/s or 10Gbit/s.")
    per_s = float(match[1]) * _factor(match[2], bool(match[3]))
    return per_s if match[4] == "B" else per_s / 8


def parse_duration(text: str) -> float:
    """Seconds: "5us", "1.5 ms", "0".

    Raises ValueError with a sentence for anything else.
    """
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a duration; write for example 5us, 1.5ms or 2s.")
    return float(match[1]) / _PER_SECOND[match[2]]


def format_duration(seconds: float) -> str:
    """Write a duration with up to four digits in the largest unit in which it is at least 1: 10.8 s, 2.1 ms, 0.5 us;
    whole seconds from 10,000 s on.
    """
    if seconds >= 10_000:
        return f"{seconds:,.0f} s"
    for factor, unit in ((1.0, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.4g} {unit}"
    return f"{seconds * 1e6:.4g} us"


def plural(count: int, noun: str) -> str:
    """Write a number with its noun: 1 element, 2 elements."""
    return f"{count} {noun}{'s' * (count != 1)}"


def _factor(prefix: str, is_binary: bool) -> float:
    return float((1024 if is_binary else 1000) ** _PREFIXES.index(prefix.lower()))
