"""PyTorch's DistributedDataParallel in a job of one rank: what it leaves behind."""

import gc
import weakref
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.distributed import TCPStore

from ringscope.contracts.training import TrainingSpec
from ringscope.train.torch_ddp import TorchDdp


def test_after_its_end_nothing_of_it_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search runs it many times in one process: groups that were left slowed all later runs down."""
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    store = TCPStore("127.0.0.1", 0, 1, True, timedelta(seconds=60), wait_for_workers=False)
    comm: Any = SimpleNamespace(rank=0, size=1, gpu=None, torch_store=lambda: (store, True))
    sums = TorchDdp(comm, torch.nn.Linear(2, 1), TrainingSpec(strategy="torch_ddp"))
    with sums.part(is_last=True):
        sums.module(torch.ones(1, 2)).sum().backward()
    assert sums.finish().size_bytes == 12
    wrapped, group = weakref.ref(sums.module), weakref.ref(sums)
    sums.close()
    del sums
    gc.collect()
    assert wrapped() is None and group() is None
