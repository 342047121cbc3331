"""The gradients of a script's models on one communicator: their sums, and checks of their use.

PyTorch calls back when a backward ends, as it does for DistributedDataParallel. In this callback every rank waits for
the sums, so that ``.grad`` is the mean over all ranks once backward returns. Before an optimizer steps, a check refuses
gradients that were not summed.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ringscope.engine.errors import DifferenceError, EngineError
from ringscope.train.digest import odd_rank
from ringscope.train.scripts.group import Group
from ringscope.train.scripts.notes import checksum, count_changes, last_notes, take_notes
from ringscope.train.sums.bucket_sums import SumThread

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_LOCAL = (
    "step: gradients were only added up on each rank, inside of accumulate(); let the last backward of a step run "
    "outside of it, or call optimizer.synchronize() before gradients are read, clipped or used."
)
_OPEN = (
    "step: backward has not ended. An error interrupted it on this rank, or step was called from inside of it; end the "
    "program after such an error, and call step after backward."
)
_UNKNOWN = (
    "step: a parameter has a gradient of this rank alone, as it came after the last backward; call "
    "optimizer.synchronize() after gradients are set by hand."
)
_CREATE_GRAPH = (
    "backward(create_graph=True): the sum over ranks has no derivative; take torch.autograd.grad(..., "
    "create_graph=True) for it, and a plain backward for the gradients."
)


@dataclass(slots=True)
class Communication:
    """Time and bytes of the sums since the last query."""

    communication_us: float = 0.0
    exposed_us: float = 0.0
    size_bytes: int = 0


class _Source:
    """An optimizer and its model, to which parameters may be added."""

    def __init__(self, optimizer: torch.optim.Optimizer, model: torch.nn.Module) -> None:
        self.optimizer, self._model = optimizer, model
        self.group: Group | None = None
        self.steps = 0

    def parameters(self) -> list[torch.nn.Parameter]:
        """Return all parameters that are currently trained, each once, in the same order on every rank."""
        return [one for one in self.all_parameters() if one.requires_grad]

    def all_parameters(self) -> Iterable[torch.nn.Parameter]:
        """Return all parameters, including frozen ones."""
        return dict.fromkeys([*self._model.parameters(), *_parameters_of(self.optimizer)])


class Gradients:
    """The gradients of one communicator; its optimizers share the thread that sums. All calls are collective."""

    def __init__(self, comm: Communicator) -> None:
        self.comm = comm
        self.since_last = Communication()
        self._thread: SumThread | None = None
        self._sources: list[_Source] = []
        self._group_of: dict[torch.nn.Parameter, Group] = {}
        self._tasks = set[int]()  # backward passes that will call back
        self._accumulating = 0
        self._only_local = set[torch.nn.Parameter]()
        self._failure: EngineError | None = None

    def add(
        self, optimizer: torch.optim.Optimizer, model: torch.nn.Module, algorithm: str, bucket_bytes: int, overlap: bool
    ) -> None:
        """Sum the gradients of this model and optimizer from now on, except those that are already summed."""
        source = _Source(optimizer, model)
        fresh = [one for one in source.parameters() if one not in self._group_of]
        if not fresh and not source.parameters():
            raise EngineError("model: it has no parameters to train.")
        if (overlap or self.comm.gpu is not None) and self._thread is None:
            self._thread = SumThread(self.comm)
        if fresh:
            source.group = Group(self.comm, fresh, algorithm, bucket_bytes, self._thread, self._arrive)
            self._group_of |= dict.fromkeys(fresh, source.group)
        self._sources.append(source)
        # Ranks with different graphs may complete the buckets of two groups in different orders: then nothing overlaps.
        groups = self._groups()
        for group in groups:
            group.overlaps = overlap and len(groups) == 1

    @contextmanager
    def accumulate(self) -> Iterator[None]:
        """Accumulate gradients on each rank inside the block."""
        self._accumulating += 1
        try:
            yield
        finally:
            self._accumulating -= 1

    def forget(self, optimizer: torch.optim.Optimizer) -> None:
        """Mark the gradients of this optimizer as zero."""
        self._only_local.difference_update(_parameters_of(optimizer))

    def synchronize(self, optimizer: torch.optim.Optimizer) -> None:
        """Sum this optimizer's gradients that are not yet summed (collective); do nothing if all are."""
        self._require_healthy()
        mine = self._source(optimizer)
        fresh = any(one not in self._group_of for one in mine.parameters())
        if fresh or any(not self._is_summed(one) for one in mine.parameters()):
            groups = {id(group): group for one in mine.parameters() if (group := self._group_of.get(one))}
            self._finish(list(groups.values()) or [self._home(mine)])

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Raise EngineError if a gradient that the optimizer would use is not equal on all ranks (collective)."""
        self._require_healthy()
        if self._tasks:
            raise EngineError(_OPEN)
        used = [one for one in _parameters_of(optimizer) if one.grad is not None]
        if any(one in self._only_local for one in used):
            raise EngineError(_LOCAL)
        if any(one not in self._group_of for one in used):
            raise EngineError(_UNKNOWN)
        replaced = [one.grad for one in used if not self._group_of[one].is_summed(one)]
        if replaced and (found := odd_rank(self._every(checksum(replaced)))):
            odd, usual = found
            raise DifferenceError(
                f"step: gradients that were set by hand differ between rank {odd} and rank {usual}; call "
                "optimizer.synchronize() after they are set, and before they are read, clipped or used."
            )

    def after_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Record a step."""
        self._source(optimizer).steps += 1

    def mean(self, value: Any) -> Any:
        """Return a loss as the mean over all ranks (collective), of the same type."""
        if value is None:
            return None
        own = value.detach() if isinstance(value, torch.Tensor) else value
        mean = float(self.comm.total(np.array([float(own)], np.float64))[0]) / self.comm.size
        return torch.full_like(own, mean) if isinstance(own, torch.Tensor) else mean

    def compare(self) -> None:
        """Raise DifferenceError on every rank if the parameters of two ranks differ (collective)."""
        if difference := self._difference():
            raise DifferenceError(difference)

    def end(self) -> None:
        """Raise DifferenceError on every rank if one has ended while others continue, or if their parameters differ.

        A rank may change its model after training, for example to save it in half precision: that does not count.
        """
        self._require_healthy()
        if self.comm.size == 1:
            return
        groups = self._groups()
        with torch.no_grad():
            for group in self._touched_by_any(groups, [True] * len(groups)):
                group.end(last_notes(self._steps_of(group)))
        if difference := self._difference():
            late = odd_rank(self._every(self._changes_since_last_sum()))
            if late is None:
                raise DifferenceError(difference)
            if self.comm.rank == late[0]:
                sys.stderr.write(
                    f"rank {late[0]}: this rank changed its parameters after its last step, unlike rank {late[1]}, so "
                    "the models were not compared at the end.\n"
                )

    def taken(self) -> Communication:
        """Return the totals since the last call, and reset them."""
        found, self.since_last = self.since_last, Communication()
        return found

    @property
    def names(self) -> tuple[str, str]:
        """Return algorithm and transport, as in records."""
        sums = self._groups()[0].sums
        return sums.algorithm, sums.transport

    def newest(self, optimizer: torch.optim.Optimizer) -> Any:
        """Return the sums of the newest backward; None before the first."""
        group = self._source(optimizer).group
        return group.newest if group else None

    def _difference(self) -> str:
        """Return a sentence if the parameters of two ranks differ, equal on every rank (collective)."""
        for source in self._sources:
            if found := odd_rank(self._every(checksum(source.all_parameters()))):
                odd, usual = found
                return (
                    f"After step {source.steps} the parameters of rank {odd} differ from those of rank {usual}; change "
                    "parameters, gradients and the optimizer's state equally on every rank."
                )
        return ""

    def _changes_since_last_sum(self) -> int:
        """Return a checksum of how often parameters were changed in place since, and of their types."""
        changes = [count_changes(self._parameters_of(group)) - group.changes for group in self._groups()]
        types = [(one.dtype, one.shape) for source in self._sources for one in source.all_parameters()]
        return zlib.crc32(repr((changes, types)).encode())

    def _groups(self) -> list[Group]:
        return [source.group for source in self._sources if source.group]

    def _source(self, optimizer: torch.optim.Optimizer) -> _Source:
        return next(source for source in self._sources if source.optimizer is optimizer)

    def _is_summed(self, parameter: torch.nn.Parameter) -> bool:
        return parameter not in self._only_local and self._group_of[parameter].is_summed(parameter)

    def _require_healthy(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _arrive(self, group: Group, parameter: torch.nn.Parameter) -> bool:
        self._require_healthy()
        if self._accumulating:
            self._only_local.add(parameter)
            return False
        if torch.is_grad_enabled():
            raise EngineError(_CREATE_GRAPH)
        task = torch._C._current_graph_task_id()
        if task not in self._tasks:
            self._tasks.add(task)
            torch.autograd.Variable._execution_engine.queue_callback(partial(self._end, task))
        return True

    def _end(self, task: int) -> None:
        """Handle the end of a backward."""
        groups = self._groups()
        self._finish(self._touched_by_any(groups, [group.is_touched for group in groups]))
        self._tasks.discard(task)

    def _touched_by_any(self, groups: list[Group], own: list[bool]) -> list[Group]:
        """Return the groups that a backward of any rank has used (collective); at least one group."""
        if len(groups) <= 1:
            return groups
        touched = self.comm.maximum(np.array(own, np.int64)).tolist()
        return [group for group, is_touched in zip(groups, touched, strict=True) if is_touched]

    def _finish(self, groups: list[Group]) -> None:
        try:
            for group in groups:
                self._finish_group(group)
        except EngineError as error:
            self._failure = error
            raise

    def _finish_group(self, group: Group) -> None:
        coming = (one for source in self._sources if self._home(source) is group for one in source.parameters())
        fresh = list(dict.fromkeys(one for one in coming if one not in self._group_of))
        self._sum(group, fresh)
        if fresh:
            group.extend(fresh)
            self._group_of |= dict.fromkeys(fresh, group)
            self._sum(group, [])

    def _sum(self, group: Group, fresh: list[torch.nn.Parameter]) -> None:
        sources, steps = self._sources_of(group), self._steps_of(group)
        parameters = self._parameters_of(group)
        is_turn = group.compared_after != steps
        group.compared_after = steps
        changes, group.changes = group.changes, count_changes(parameters)
        with torch.no_grad():
            optimizers = [source.optimizer for source in sources]
            notes = take_notes(optimizers, parameters if is_turn else None, steps, fresh, group.changes - changes)
            if group.finish(notes):
                self.compare()
        self._only_local.difference_update(group.parameters)
        if sums := group.newest:
            self.since_last.communication_us += sums.communication_us
            self.since_last.exposed_us += sums.exposed_us
            self.since_last.size_bytes += sums.size_bytes

    def _sources_of(self, group: Group) -> list[_Source]:
        return [one for one in self._sources if one.group is group or self._shares(one, group)]

    def _parameters_of(self, group: Group) -> list[torch.nn.Parameter]:
        sources = self._sources_of(group)
        return list(dict.fromkeys(one for source in sources for one in source.all_parameters()))

    def _steps_of(self, group: Group) -> int:
        return sum(source.steps for source in self._sources_of(group))

    def _home(self, source: _Source) -> Group:
        """Return the group for parameters that are added later."""
        return source.group or self._groups()[0]

    def _shares(self, source: _Source, group: Group) -> bool:
        return any(self._group_of.get(one) is group for one in _parameters_of(source.optimizer))

    def _every(self, digest: int) -> list[int]:
        digests = np.zeros(self.comm.size, np.int64)
        digests[self.comm.rank] = digest
        found: list[int] = self.comm.total(digests).tolist()
        return found


def _parameters_of(optimizer: torch.optim.Optimizer) -> list[torch.nn.Parameter]:
    return [one for group in optimizer.param_groups for one in group["params"]]
