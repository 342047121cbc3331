"""The largest communicator of a log, in a line for a row of a benchmark. Pure."""

from ringscope.contracts.words.units import plural
from ringscope.nccl_log.reading import Log

_MOST_TRANSPORTS = 8


def summary(log: Log) -> str | None:
    """Return network, channels and transports; None if the log says nothing of them."""
    networks = sorted({name for node in log.nodes.values() for name in node.networks})
    parts = [f"network {', '.join(networks)}"] if networks else []
    if log.communicators:
        one = log.communicators[0]
        if one.channels is not None:
            nvls = f", {one.nvls_channels} of NVLS" if one.nvls_channels else ""
            parts.append(f"{plural(one.channels, 'channel')}{nvls}")
        transports = sorted({name for names in one.edges.values() for name in names})
        if transports:
            more = len(transports) - _MOST_TRANSPORTS
            parts.append(", ".join(transports[:_MOST_TRANSPORTS]) + (f" and {more} more" if more > 0 else ""))
    return "; ".join(parts) or None
