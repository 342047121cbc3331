"""The same training program for ranks that share the work, and for one process that does all of it.

All numbers are such that float32 keeps every sum exactly, so that results can be compared bit by bit: inputs are whole,
parameters and learning rates powers of two times whole numbers.
"""

import itertools
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
import torch
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks

from ringscope.engine.errors import EngineError
from ringscope.train.scripts.distributed_optimizer import distribute
from ringscope.train.scripts.gradients import Gradients


def whole(shape: tuple[int, ...], seed: int) -> torch.Tensor:
    """Numbers from -2 to 2."""
    return torch.randint(-2, 3, shape, generator=torch.Generator().manual_seed(seed)).float()


class Net(torch.nn.Module):
    """Two layers, and one that no forward uses."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        self.first, self.second, self.unused = torch.nn.Linear(4, 5), torch.nn.Linear(5, 2), torch.nn.Linear(3, 3)
        with torch.no_grad():
            for number, parameter in enumerate(self.parameters()):
                parameter.copy_(whole(tuple(parameter.shape), 100 * seed + number) / 4)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.second(torch.relu(self.first(inputs)))


class World:
    """The world of a program; ``parts`` are the ranks whose samples this process takes."""

    def __init__(self, ranks: int, comm: VirtualCommunicator | None, **options: Any) -> None:
        self.ranks, self.comm = ranks, comm
        self.parts = range(ranks) if comm is None else (comm.rank,)
        self._options = {"algorithm": "ring", "bucket_bytes": 64} | options
        self._gradients = None if comm is None else Gradients(comm)
        self._drawn = itertools.count()

    @property
    def rank(self) -> int:
        return 0 if self.comm is None else self.comm.rank

    def wrap(self, optimizer: torch.optim.Optimizer, model: torch.nn.Module) -> Any:
        if self._gradients is None:
            return optimizer
        return distribute(self._gradients, optimizer, model, **self._options)

    def accumulate(self, optimizer: Any) -> AbstractContextManager[None]:
        return nullcontext() if self.comm is None else optimizer.accumulate()

    def synchronize(self, optimizer: Any) -> None:
        if self.comm is not None:
            optimizer.synchronize()

    def end(self) -> None:
        """End the gradients as a job does at the end of a script."""
        if self._gradients is not None:
            self._gradients.end()

    def inputs(self) -> list[torch.Tensor]:
        """The next batch, of each of this process' parts."""
        number = next(self._drawn)
        return [whole((3, 4), 1000 + 10 * number + part) for part in self.parts]

    def loss(self, model: Any) -> torch.Tensor:
        """Return the loss of the next batch; the mean of the ranks' losses is that of one process."""
        return self.mean_of(lambda inputs: (model(inputs) * torch.tensor([1.0, -2.0])).sum() / 4, self.inputs())

    def mean_of(self, loss_of: Any, parts: list[torch.Tensor]) -> torch.Tensor:
        """Return the sum of the losses in one process, and ``ranks`` times its loss on a rank: no division by three."""
        losses = [loss_of(part) for part in parts]
        return losses[0] * self.ranks if self.comm is not None else torch.stack(losses).sum()


def results(ranks: int, program: Any, **options: Any) -> tuple[list[Any], Any]:
    """Return what the program returns on each rank, and what it returns in one process."""
    every = on_ranks(ranks, lambda comm: program(World(ranks, comm, **options)), VirtualCommunicator)
    return every, program(World(ranks, None))


def sentence_of(program, ranks=2, **options):
    """Return the sentence that each rank gets."""

    def run(comm):
        with pytest.raises(EngineError) as found:
            program(World(ranks, comm, **options))
        return str(found.value)

    return on_ranks(ranks, run, VirtualCommunicator, seconds=5)


def made(world, model=None, **options):
    model = model or Net()
    return model, world.wrap(torch.optim.SGD(model.parameters(), lr=1 / 8, **options), model)


def without_unused():
    """The bucket of what no forward uses comes first and would let all others wait for backward's end."""
    model = Net()
    del model.unused
    return model


def steps(world, model, optimizer, count=1):
    for _ in range(count):
        optimizer.zero_grad()
        world.loss(model).backward()
        optimizer.step()
