"""The samples of a batch, and the time until it was there."""

import time
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ringscope.rank.watch.samples import Samples


class Tensor:
    def __init__(self, *shape: int) -> None:
        self.shape = shape

    def dim(self) -> int:
        return len(self.shape)

    def size(self, dimension: int) -> int:
        return self.shape[dimension]


class Iter:
    def __init__(self, *batches: Any) -> None:
        self.batches = list(batches)

    def __next__(self) -> Any:
        time.sleep(0.002)
        if not self.batches:
            raise StopIteration
        return self.batches.pop(0)


@pytest.fixture
def samples() -> Samples:
    module: Any = ModuleType("torch.utils.data.dataloader")
    module.torch = SimpleNamespace(Tensor=Tensor, is_grad_enabled=lambda: True)
    module._BaseDataLoaderIter = type("Iter", (Iter,), {"__next__": Iter.__next__})
    watched = Samples(lambda error: (_ for _ in ()).throw(error))  # type: ignore[arg-type, return-value]
    watched.wrap(module)
    watched.kind = module._BaseDataLoaderIter  # type: ignore[attr-defined]
    return watched


@pytest.mark.parametrize(
    ("batch", "count"),
    [
        (Tensor(5, 2), 5),
        ([Tensor(5, 2), Tensor(5)], 5),
        ({"name": "a", "ids": (Tensor(7, 9),)}, 7),
        ([Tensor()], 1),
        (["a", "b"], 0),
        ([[[[[[Tensor(3)]]]]]], 0),
    ],
)
def test_the_first_tensor_tells_the_samples(samples: Samples, batch: Any, count: int) -> None:
    assert next(samples.kind(batch)) is batch  # type: ignore[attr-defined]
    assert samples.count == count
    assert samples.waited_ns > 1_000_000


def test_the_end_of_the_data_passes_through(samples: Samples) -> None:
    with pytest.raises(StopIteration):
        next(samples.kind())  # type: ignore[attr-defined]
    assert (samples.count, samples.waited_ns) == (0, 0)
