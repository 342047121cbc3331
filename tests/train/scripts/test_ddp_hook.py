"""The hook's means on virtual ranks, beside what PyTorch computes from the same numbers."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tests.train.scripts.worlds import whole
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks

from ringscope.engine.errors import EngineError
from ringscope.rank import api
from ringscope.train.scripts import ddp_hook
from ringscope.train.scripts.ddp_hook import HookSums

RANKS = 4


class Bucket:
    """A fake of the parts of DDP's bucket that a hook uses."""

    def __init__(self, number: int, gradient: torch.Tensor, owner: torch.Tensor, is_last: bool = True) -> None:
        self.index, self.buffer, self.is_last = (lambda: number), (lambda: gradient), (lambda: is_last)
        self.parameters = lambda: [owner]


def gradient(rank: int, seed: int, count: int = 12, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return whole((count,), 10 * seed + rank).to(dtype)


def mean(seed: int, count: int = 12, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.stack([gradient(rank, seed, count, dtype) for rank in range(RANKS)]).double().mean(0).to(dtype)


def test_buckets_become_their_mean_in_every_iteration() -> None:
    def program(comm: Any) -> list[torch.Tensor]:
        sums, owners = HookSums(comm), [torch.zeros(1), torch.zeros(1)]
        found = []
        for iteration in range(3):
            futures = [
                sums.start(
                    Bucket(number, gradient(comm.rank, 2 * iteration + number), owners[number], number == 1), "ring"
                )
                for number in (0, 1)
            ]
            found += [future.wait().clone() for future in futures]
        assert comm.runs == 6
        return found

    for found in on_ranks(RANKS, program, VirtualCommunicator):
        for seed, summed in enumerate(found):
            assert torch.equal(summed, mean(seed))


def test_models_whose_buckets_look_alike_and_rebuilt_buckets_have_memory_of_their_own() -> None:
    def program(comm: Any) -> list[torch.Tensor]:
        sums, first, second = HookSums(comm), torch.zeros(1), torch.zeros(1)
        given = [(first, 12), (second, 12), (first, 7)]
        futures = [
            sums.start(Bucket(0, gradient(comm.rank, seed, count), owner), "auto")
            for seed, (owner, count) in enumerate(given)
        ]
        return [future.wait() for future in futures]

    for found in on_ranks(RANKS, program, VirtualCommunicator):
        assert torch.equal(found[0], mean(0))
        assert torch.equal(found[1], mean(1))
        assert torch.equal(found[2], mean(2, 7))


def test_a_gradient_that_cannot_be_summed_is_refused() -> None:
    comm = SimpleNamespace(gpu=None, size=2, rank=0)
    sums = HookSums(comm)  # type: ignore[arg-type]
    with pytest.raises(EngineError, match=r"^ddp_hook: gradients of torch\.complex64 have no sum here"):
        sums.start(Bucket(0, torch.zeros(2, dtype=torch.complex64), torch.zeros(1)), "ring")  # type: ignore[arg-type]


def test_an_error_of_the_engine_reaches_ddp() -> None:
    def program(comm: Any) -> str:
        sums = HookSums(comm)

        def plan(*arguments: Any) -> Any:
            raise EngineError("rank 1 is lost.")

        comm.plan = plan
        with pytest.raises(EngineError) as error:
            sums.start(Bucket(0, gradient(comm.rank, 0), torch.zeros(1)), "ring").wait()
        return str(error.value)

    assert on_ranks(1, program, VirtualCommunicator) == ["rank 1 is lost."]


def test_ranks_that_torch_numbers_otherwise_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ddp_hook.distributed, "get_world_size", lambda: 4)
    monkeypatch.setattr(ddp_hook.distributed, "get_rank", lambda: 2)
    hook = ddp_hook.hook_of(lambda: SimpleNamespace(size=1, rank=0, gpu=None))  # type: ignore[arg-type, return-value]
    with pytest.raises(EngineError, match=r"rank 2 of 4 in torch\.distributed, but rank 0 of 1 here; start the script"):
        hook(None, Bucket(0, torch.zeros(1), torch.zeros(1)))  # type: ignore[arg-type]


def test_ddp_takes_the_hook_and_notes_its_name() -> None:
    assert api.ddp_hook is api.ddp_hook
    assert api.ddp_hook.__qualname__ == "ddp_hook"
    assert api.ddp_hook.__annotations__["bucket"] is torch.distributed.GradBucket
    assert api.ddp_hook.__annotations__["return"] == torch.futures.Future[torch.Tensor]
