"""A dataset of the user's own: map-style, or iterable, which is read in its order; by processes if the job says so."""

import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, default_collate

from ringscope.contracts.training import DatasetSpec, TrainingSpec
from ringscope.engine.errors import EngineError
from ringscope.train.data.split import Dataset, Samples
from ringscope.train.own import OwnFunction
from ringscope.train.own.file import a, place_of
from ringscope.train.own.given import Source

_FIELD = "training.dataset.load"
_NO_DATASETS = (str, bytes, dict, DataLoader)  # a loader has batches already; the job says how many samples are one
_EXPECTED = "a map-style or iterable dataset, or a pair of them for training and validation"
_Batch = tuple[Tensor, Tensor]
_Plan = Callable[[], Iterator[Tensor]]


def load(spec: TrainingSpec) -> Dataset:
    """Return the dataset that the job's function returns; EngineError says in a sentence what does not fit."""
    wanted = spec.dataset
    assert wanted.file is not None
    function = OwnFunction("training.dataset.file", wanted.file, _FIELD, wanted.load)
    arguments = {"path": wanted.path} if wanted.path is not None else {}
    found = function.call("training.dataset.path", arguments)
    return dataset_of(found, function, spec)


def dataset_of(found: Any, source: Source, spec: TrainingSpec) -> Dataset:
    """Return the dataset, or the pair of them, that ``source`` has given; EngineError says what does not fit."""
    wanted = spec.dataset
    is_pair = isinstance(found, tuple) and len(found) == 2
    reader = _Reader(source, wanted)
    if is_pair:
        training, validation = reader.samples(found[0], wanted.samples), reader.samples(found[1], None)
    elif _is_map(found, source):
        training, validation = reader.held_out(found, spec.seed)
    elif _is_iterable(found, source):
        what = "one iterable dataset, of which no part can be held out"
        raise source.is_not(what, "a pair of datasets for training and validation")
    else:
        raise source.is_not(a(found), _EXPECTED)
    inputs, _ = training.batch(torch.arange(1))
    first, shape = found[0] if is_pair else found, tuple(inputs.shape[1:])
    is_ordered = isinstance(training, StreamSamples)
    return Dataset(wanted.label, training, validation, _classes(first, source), shape, is_ordered)


class MapSamples:
    """Samples of a map-style dataset, some of them or all."""

    def __init__(self, source: Any, places: Tensor | None, function: Source, spec: DatasetSpec) -> None:
        """``places`` are the numbers of the samples in ``source``; None: all."""
        self._source, self._function = source, function
        self._places = torch.arange(len(source)) if places is None else places
        self._planned = _Planned()
        self._iterator: Iterator[_Batch] | None = None
        self._loader: Iterable[_Batch] | None = None
        if spec.workers:
            self._loader = DataLoader(
                _Placed(source, self._places.tolist()),
                batch_sampler=self._planned,
                num_workers=spec.workers,
                prefetch_factor=spec.prefetch,
                persistent_workers=True,
            )

    def __len__(self) -> int:
        return len(self._places)

    def follow(self, plan: _Plan) -> None:
        """Let the processes read the batches of ``plan`` ahead."""
        self._planned.plan, self._iterator = plan, None

    def batch(self, indices: Tensor) -> _Batch:
        """Return inputs and targets; the processes have read them if they are the next ones of the plan."""
        if self._loader is None or self._planned.plan is None:
            return self._read(indices)
        if self._iterator is None or self._planned.next() != indices.tolist():
            self._iterator = iter(self._loader)  # from the current step on: the plan has changed, or is new
        if self._planned.next() != indices.tolist():
            self._iterator = None
            return self._read(indices)
        try:
            batch = next(self._iterator)
        except Exception as error:
            raise _failed(error, self._function) from None
        self._planned.take()
        return _checked(batch, self._function)

    def fingerprint(self, found: int) -> int:
        """Return a checksum of file, number and shape: samples may be changed at random as they are read."""
        inputs, targets = self.batch(torch.arange(min(1, len(self))))
        return _fingerprint(found, self._function, len(self), inputs, targets)

    def _read(self, indices: Tensor) -> _Batch:
        try:
            batch = default_collate([self._source[place] for place in self._places[indices].tolist()])
        except Exception as error:
            raise _failed(error, self._function) from None
        return _checked(batch, self._function)


class StreamSamples:
    """Samples of an iterable dataset, in its order; another epoch begins it again."""

    def __init__(self, source: Iterable[Any], samples: int | None, function: Source, spec: DatasetSpec) -> None:
        """``samples`` are those of an epoch; None: as many as ``len`` says, or else as there are."""
        self._function = function
        self._source: Iterable[Any] = source
        if spec.workers:
            # one process, because several would read the same samples
            ahead = spec.prefetch * _AHEAD
            self._source = DataLoader(_Stream(source), batch_size=None, num_workers=1, prefetch_factor=ahead)
        self._iterator: Iterator[Any] | None = None
        self._place = 0  # number of the sample that the iterator returns next
        self._count = samples or _length(source, function) or self._counted()

    def __len__(self) -> int:
        return self._count

    def follow(self, plan: _Plan) -> None:
        """Do nothing: the order is always the same."""

    def batch(self, indices: Tensor) -> _Batch:
        """Return inputs and targets of consecutive samples, after those in front of them are skipped."""
        first, count = int(indices[0]), len(indices)
        if self._iterator is None or first < self._place:
            self._iterator, self._place = iter(self._source), 0
        try:
            for _ in range(self._place, first):
                next(self._iterator)
            items = [next(self._iterator) for _ in range(count)]
            self._place = first + count
            return _checked(default_collate(items), self._function)
        except StopIteration:
            self._iterator = None
            raise EngineError(
                f"training.dataset.samples: the dataset of {self._function} ends before sample {first + count} of "
                f"{self._count}; give as many as it has."
            ) from None
        except EngineError:
            raise
        except Exception as error:
            raise _failed(error, self._function) from None

    def fingerprint(self, found: int) -> int:
        """Return a checksum of file, number and shape."""
        inputs, targets = self.batch(torch.arange(1))
        return _fingerprint(found, self._function, len(self), inputs, targets)

    def _counted(self) -> int:
        try:
            count = sum(1 for _ in self._source)
        except Exception as error:
            raise _failed(error, self._function) from None
        if not count:
            raise EngineError(
                f"{self._function.name_field}: an iterable dataset of {self._function} has no samples; add some."
            )
        return count


_AHEAD = 64  # samples in a batch that is read ahead


class _Reader:
    """Makes samples of what the function returned."""

    def __init__(self, function: Source, spec: DatasetSpec) -> None:
        self._function, self._spec = function, spec

    def samples(self, found: Any, count: int | None) -> Samples:
        if _is_map(found, self._function):
            return MapSamples(found, None, self._function, self._spec)
        if _is_iterable(found, self._function):
            return StreamSamples(found, count, self._function, self._spec)
        raise self._function.is_not(f"a pair with {a(found)}", _EXPECTED)

    def held_out(self, found: Any, seed: int) -> tuple[Samples, Samples]:
        """Hold out some samples, by the seed."""
        held_out = max(1, len(found) * self._spec.validation_percent // 100)
        if held_out >= len(found):
            raise EngineError(
                f"{self._function.name_field}: the dataset of {self._function} has {len(found)} samples; give at "
                "least 2."
            )
        order = torch.randperm(len(found), generator=torch.Generator().manual_seed(seed))
        parts = order[held_out:], order[:held_out]
        training, validation = (MapSamples(found, places, self._function, self._spec) for places in parts)
        return training, validation


class _Planned:
    """The batches that the processes read ahead, and those that nobody has taken yet."""

    def __init__(self) -> None:
        self.plan: _Plan | None = None
        self._coming: deque[list[int]] = deque()

    def __iter__(self) -> Iterator[list[int]]:
        self._coming.clear()
        assert self.plan is not None
        for indices in self.plan():
            self._coming.append(indices.tolist())
            yield self._coming[-1]

    def next(self) -> list[int] | None:
        """Return the next batch; None if there is none."""
        return self._coming[0] if self._coming else None

    def take(self) -> None:
        """Go on to the batch after it."""
        self._coming.popleft()


class _Placed(torch.utils.data.Dataset[Any]):
    """Some samples of a dataset, by new numbers."""

    def __init__(self, source: Any, places: list[int]) -> None:
        self._source, self._places = source, places

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index: int) -> Any:
        return self._source[self._places[index]]


class _Stream(IterableDataset[Any]):
    """A dataset for PyTorch's DataLoader, of anything that can be iterated."""

    def __init__(self, source: Iterable[Any]) -> None:
        self._source = source

    def __iter__(self) -> Iterator[Any]:
        return iter(self._source)


def _is_map(found: Any, function: Source) -> bool:
    is_map = hasattr(type(found), "__getitem__") and _length(found, function) is not None
    return is_map and not isinstance(found, (*_NO_DATASETS, IterableDataset))


def _is_iterable(found: Any, function: Source) -> bool:
    if not hasattr(type(found), "__iter__") or isinstance(found, _NO_DATASETS):
        return False
    try:
        return iter(found) is not found
    except Exception as error:
        raise _failed(error, function) from None


def _length(found: Any, function: Source) -> int | None:
    """Return the number of elements; None if there is no such number."""
    try:
        return len(found)
    except (TypeError, NotImplementedError):  # PyTorch's datasets without a length raise the one or the other
        return None
    except Exception as error:
        place = place_of(error, function.path)
        raise EngineError(
            f"{function.name_field}: the length of what {function} returned cannot be told: {place}."
        ) from None


def _classes(source: Any, function: Source) -> int:
    """Return the number of classes by the attribute ``classes``, a number or the classes' names; 0 if there is none."""
    found = getattr(source, "classes", None)
    return found if isinstance(found, int) else _length(found, function) or 0


def _checked(batch: Any, function: Source) -> _Batch:
    """Return a batch of inputs and targets; EngineError if the samples are not such pairs of numbers."""
    if isinstance(batch, (tuple, list)) and len(batch) == 2 and all(isinstance(part, Tensor) for part in batch):
        inputs, targets = batch
        return inputs, targets
    kind = ", ".join(map(a, batch)) if isinstance(batch, (tuple, list)) else a(batch)
    raise EngineError(
        f"{function.name_field}: a batch of the samples of {function} is {kind}; a sample must be a pair (input, "
        "target) of tensors, arrays or numbers."
    )


def _failed(error: Exception, function: Source) -> EngineError:
    place = place_of(error, function.path)
    return EngineError(f"{function.name_field}: reading samples of {function} failed: {place}.")


def _fingerprint(found: int, function: Source, count: int, inputs: Tensor, targets: Tensor) -> int:
    found = zlib.crc32(function.content(), found)
    shapes = (count, tuple(inputs.shape[1:]), inputs.dtype, tuple(targets.shape[1:]), targets.dtype)
    return zlib.crc32(str(shapes).encode(), found)
