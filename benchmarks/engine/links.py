"""All-reduce between hosts on shaped links, beside what the links can carry at most.

The hosts are network namespaces of this machine (see ``network.py``), and all of them share its cores: what the ranks
compute costs more time here than on hosts of their own.
- 4 hosts at 1 Gbit/s: our rings beside MPI_Allreduce and the payload limit, 2(p-1)/p of the message over one link.
- 10 hosts at 80 Mbit/s, 12 MB: the lecture's Deep Speech 2 case (300 million parameters, 1.2 GB at 1 GB/s) at a
  hundredth in bytes and rate: 2.16 s for a ring, 21.6 s for gathering and sending back, both of raw bits.
"""

from benchmarks.command import exec_part
from benchmarks.engine.gangs import on_hosts
from benchmarks.engine.measure import MeasurePlan, Series, speedup
from benchmarks.engine.network import DEVICE, Network, NetworkError, require_network
from benchmarks.report import Result, Target, say, say_targets, watched

from ringscope.contracts.words.units import format_size

_MIB = 1 << 20
FAST = (4, 10**9, MeasurePlan(("ring", "ring_pipelined", "mpi"), (4 * _MIB, 16 * _MIB), 5, "mpi", device=DEVICE))
LECTURE_BYTES = 12_000_000
_LECTURE_SIZES = (4096, LECTURE_BYTES)  # the small one opens the connections
LECTURE = (
    10,
    80 * 10**6,
    MeasurePlan(
        ("ring", "ring_pipelined", "naive", "mpi"), _LECTURE_SIZES, 2, "mpi",
        block_us=0, min_iterations=1, warmup=0, device=DEVICE,
    ),
)  # fmt: skip
_LECTURE_SECONDS = {"ring": 2.16, "ring_pipelined": 2.16, "naive": 21.6}


def run() -> Result | None:
    """Measure both; None where there can be no shaped links, after one line that says why."""
    try:
        require_network()
    except NetworkError as error:
        say(f"links: left out. {error}")
        return None
    with watched() as conditions:
        fast, fast_limit = measure(*FAST)
        lecture, lecture_limit = measure(*LECTURE)
    lecture = [series for series in lecture if series.size_bytes == LECTURE_BYTES]
    targets = [*_fast_targets(fast, fast_limit), *_lecture_targets(lecture, lecture_limit)]
    say(f"\nlinks ({conditions})")
    _show(fast, fast_limit, FAST[1])
    _show(lecture, lecture_limit, LECTURE[1])
    say_targets(targets)
    details = {"payload_bytes_per_s": {FAST[0]: fast_limit, LECTURE[0]: lecture_limit}}
    return Result("links", conditions, [*fast, *lecture], targets, details)


def limit_s(series: Series, payload_bytes_per_s: float) -> float:
    """The time of the bytes that every rank must send and receive."""
    return 2 * (series.ranks - 1) / series.ranks * series.size_bytes / payload_bytes_per_s


def measure(hosts: int, rate_bit_per_s: int, plan: MeasurePlan) -> tuple[list[Series], float]:
    """Run a plan on hosts of its own; its rows, and what one link carries of payload in bytes per second."""
    with Network(hosts, rate_bit_per_s) as network:
        rows = on_hosts(network, plan)
    for row in rows:
        assert row.sent_bytes is not None
        if row.sent_bytes < row.size_bytes:
            raise RuntimeError(
                f"{row.algorithm} sent only {row.sent_bytes:.0f} bytes over the links for {row.size_bytes}: "
                "the ranks found another way than the network."
            )
    return rows, network.payload_bytes_per_s


def _fast_targets(rows: list[Series], payload: float) -> list[Target]:
    found = []
    for size_bytes in sorted({row.size_bytes for row in rows}):
        rings = [row for row in rows if row.size_bytes == size_bytes and row.algorithm.startswith("ring")]
        best = min(rings, key=lambda row: row.time_us)
        name = f"4 hosts, 1 Gbit/s, {format_size(size_bytes)}: {best.algorithm}, share of the payload limit"
        found.append(Target(name, 0.95, limit_s(best, payload) / (best.time_us / 1e6)))
    return found


def _lecture_targets(rows: list[Series], payload: float) -> list[Target]:
    by_name = {row.algorithm: row for row in rows}
    ring = min((by_name["ring"], by_name["ring_pipelined"]), key=lambda row: row.time_us)
    return [
        Target(
            f"10 hosts, 80 Mbit/s, 12 MB: {ring.algorithm}, share of the payload limit",
            0.95,
            limit_s(ring, payload) / (ring.time_us / 1e6),
        ),
        Target("10 hosts, 80 Mbit/s, 12 MB: ring against naive, of the lecture's 10 times", 0.9,
               speedup(ring, by_name["naive"]) / 10),
    ]  # fmt: skip


def _show(rows: list[Series], payload: float, rate_bit_per_s: int) -> None:
    mpi = {row.size_bytes: row for row in rows if row.algorithm == "mpi"}
    hosts = rows[0].ranks
    say(f"{hosts} hosts, {rate_bit_per_s / 1e6:g} Mbit/s each way; {payload / 1e6:.1f} MB/s of payload")
    say(f"{'size':>9} {'algorithm':>15} {'ms':>9} {'busbw MB/s':>11} {'of limit':>9} {'x mpi':>6} {'sent/message':>13}")
    for row in rows:
        assert row.sent_bytes is not None
        share = limit_s(row, payload) / (row.time_us / 1e6)
        lecture = _LECTURE_SECONDS.get(row.algorithm) if row.size_bytes == LECTURE_BYTES else None
        say(
            f"{format_size(row.size_bytes):>9} {row.algorithm:>15} {row.time_us / 1e3:9.1f}"
            f" {row.busbw_gb_per_s * 1e3:11.1f} {share:9.2f} {speedup(row, mpi[row.size_bytes]):6.2f}"
            f" {row.sent_bytes / row.size_bytes:13.2f}" + (f"   the lecture: {lecture} s" if lecture else "")
        )


if __name__ == "__main__":
    exec_part("links")
