"""PyTorch's DistributedDataParallel in a job of one rank leaves nothing behind."""

import gc
import time
import weakref
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.distributed import TCPStore

from ringscope.contracts.training import TrainingSpec
from ringscope.train.torch_ddp import TorchDdp


def test_its_process_group_and_threads_end_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search runs it many times in one process: groups that were left slowed all later runs down."""
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    store = TCPStore("127.0.0.1", 0, 1, True, timedelta(seconds=60), wait_for_workers=False)
    comm: Any = SimpleNamespace(rank=0, size=1, gpu=None, torch_store=lambda: (store, True))
    sums = TorchDdp(comm, torch.nn.Linear(2, 1), TrainingSpec(strategy="torch_ddp"))
    with sums.part(is_last=True):
        sums.module(torch.ones(1, 2)).sum().backward()
    assert sums.finish().size_bytes == 12
    left = [weakref.ref(sums.module), weakref.ref(sums)]
    sums.close()
    del sums
    deadline = time.monotonic() + 60
    while any(each() is not None for each in left):  # gloo's thread lets go of its last call by itself
        assert time.monotonic() < deadline, "something of it is left"
        gc.collect()
        time.sleep(0.01)
