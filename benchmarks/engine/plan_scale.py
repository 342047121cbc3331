"""Prices of an all-reduce on up to 16,384 ranks: 8 on a node, 32 nodes on a switch, the switches' uplinks 4:1.

    python -m benchmarks.engine.plan_scale [RACKS]

A process of its own for each size, so that the memory told is that of one plan. All algorithms that have a schedule are
priced; of `direct`, whose messages share the uplinks at different times, it is an upper bound. Reached: 3 s and 0.2 GB,
of the time three quarters for `double_tree`; a machine that is busy with other things takes twice as long.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Sequence

from benchmarks.command import Parser, count, exit_with
from benchmarks.report import Target, judged, say

from ringscope.contracts.cluster import ClusterSpec
from ringscope.contracts.words.collectives import SCHEDULED
from ringscope.cost.prices import prices

RACKS = (4, 16, 64)
TARGET_S, TARGET_GB = 5.0, 1.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure each size in a process, and return 1 if a target is missed; a given number of racks runs in this one."""
    parser = Parser(__doc__)
    listed = f"of 256 ranks: only this many, held to no target; {', '.join(map(str, RACKS))}"
    parser.add_argument("racks", nargs="?", type=count(2), metavar="RACKS", help=listed)
    racks = parser.parse_args(arguments).racks
    if racks is not None:
        _plan(racks)
        return 0
    seconds = memory_gb = 0.0
    for racks in RACKS:
        answer = subprocess.run(
            [sys.executable, "-m", __spec__.name, str(racks)], check=True, capture_output=True, text=True
        ).stdout
        say(answer.rstrip())
        seconds, memory_gb = (float(figure) for figure in answer.split()[-2:])
    return judged(
        [
            Target("16,384 ranks, all algorithms: s of a processor", TARGET_S, seconds, at_most=True),
            Target("16,384 ranks: GB of memory", TARGET_GB, memory_gb, at_most=True),
        ]
    )


def _plan(racks: int) -> None:
    topology = ClusterSpec(shape=f"{racks}x32x8", link="ib400", oversubscription=4, reduce_gb_per_s=200).topology
    say(f"{topology.ranks} ranks, 1 GiB")
    began_s = time.process_time()
    for algorithm in SCHEDULED["all_reduce"]:
        at_s = time.process_time()
        (price,) = prices([algorithm], 1 << 30, topology)
        bound = "at most" if price.is_bound else ""
        say(f"  {algorithm:20} {bound:7} {price.time_s * 1e3:12.3f} ms, found in {time.process_time() - at_s:.3f} s")
    memory_gb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    say(f"  seconds and GB in all: {time.process_time() - began_s:.2f} {memory_gb:.3f}")


if __name__ == "__main__":
    exit_with(main)
