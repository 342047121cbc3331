"""PyTorch's DistributedDataParallel in a job of one rank, run several times in one process as a search does."""

import gc
import time
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.distributed import TCPStore

from ringscope.contracts.training import TrainingSpec
from ringscope.train.torch_ddp import TorchDdp


def gloo_threads() -> int:
    return sum("gloo" in name.read_text() for name in Path("/proc/self/task").glob("*/comm"))


def train() -> int:
    """Make a step, and close; return the threads of gloo before that."""
    store = TCPStore("127.0.0.1", 0, 1, True, timedelta(seconds=60), wait_for_workers=False)
    comm: Any = SimpleNamespace(rank=0, size=1, gpu=None, torch_store=lambda: (store, True))
    sums = TorchDdp(comm, torch.nn.Linear(2, 1), TrainingSpec(strategy="torch_ddp"))
    with sums.part(is_last=True):
        sums.module(torch.ones(1, 2)).sum().backward()
    assert sums.finish().size_bytes == 12
    threads = gloo_threads()
    sums.close()
    return threads


def test_many_runs_leave_no_more_threads_behind_than_one_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """Process groups that were left slowed all later runs of a search down; PyTorch keeps the last one."""
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    of_one = train()
    assert of_one > 0
    for _ in range(3):
        train()
    deadline = time.monotonic() + 60
    while gloo_threads() > of_one:  # gloo's threads end by themselves
        assert time.monotonic() < deadline, f"{gloo_threads()} threads are left, and one run has {of_one}"
        gc.collect()
        time.sleep(0.01)
