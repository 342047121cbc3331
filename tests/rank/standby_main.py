"""Run by test_standby.py: the standby process without PyTorch, whose ranks tell what they see, and end as asked."""

import json
import os
import signal
import sys
from pathlib import Path

from ringscope.rank import program, standby


def rank() -> int:
    """Tell, then return a code or wait for a signal."""
    seen = dict(entry.split("=", 1) for entry in Path("/proc/self/environ").read_text().split("\0") if "=" in entry)
    told = {
        "pid": os.getpid(),
        "token": seen.get("RINGSCOPE_ATTEMPT_TOKEN"),
        "environment": dict(os.environ),
        "folder": str(Path.cwd()),
        "cores": sorted(os.sched_getaffinity(0)),
        "pmi": os.read(int(os.environ["PMI_FD"]), 5).decode() if "PMI_FD" in os.environ else None,
    }
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()
    if os.environ["ACT"] == "wait":
        signal.pause()
    return 7


program.main = rank
standby._load = lambda: None
sys.exit(standby.main())
