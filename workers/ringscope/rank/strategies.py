"""A Python class for each strategy of training, for scripts that are written as TensorFlow's are:

    strategy = ringscope.MirroredStrategy()
    with strategy.scope():
        model = torch.nn.Sequential(...)
    strategy.fit(model, data, loss=torch.nn.CrossEntropyLoss(), epochs=5)

The options of a class and of ``fit`` are the fields of a training job (docs/training.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from ringscope.contracts.training import PARAMETER_SERVERS, STRATEGIES, TENSOR, TrainingSpec
from ringscope.engine.errors import EngineError
from ringscope.rank import api

if TYPE_CHECKING:
    from types import ModuleType

    import torch

    from ringscope.train.fitting import Fitted


class Strategy:
    """Trains a script's own model on all ranks; all of them make the same calls (collective)."""

    strategy: ClassVar[str]

    def __init__(self, **options: Any) -> None:
        """``options`` are fields of a training job, such as ``all_reduce``; those of ``fit`` replace them.

        EngineError in one sentence if an option is unknown or does not go with the strategy.
        """
        self._options = options
        self._spec: TrainingSpec = _fitting().spec_of(self.strategy, options)

    @property
    def rank(self) -> int:
        """Return the number of this rank; the first use connects the ranks (collective)."""
        return self._connected(self._spec).rank

    @property
    def num_replicas_in_sync(self) -> int:
        """Return the number of replicas whose gradients are summed; the first use connects the ranks (collective)."""
        ranks = self._connected(self._spec).size
        if self.strategy in PARAMETER_SERVERS:
            return max(1, ranks - self._spec.servers)
        return 1 if self.strategy in TENSOR else max(1, self._spec.summing_ranks(ranks))

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Build models in this block: the seed is set, so that all ranks begin with equal parameters.

        Afterwards the generators of random numbers are as they were.
        """
        import torch

        with torch.random.fork_rng(devices=()):
            torch.manual_seed(self._spec.seed)
            yield self

    def fit(
        self,
        model: torch.nn.Module | str,
        data: Any,
        *,
        loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor] | None = None,
        **options: Any,
    ) -> Fitted:
        """Train, and return the trained model with the figures of each epoch, equal on all ranks (collective).

        Args: model: a module, or the name of a model. data: a dataset of pairs (input, target), a pair of datasets for
        training and validation, a pair of tensors or arrays (inputs, targets), or the name of a dataset. loss: the mean
        over samples; None: the module's method ``loss``. options: fields of a training job or of its dataset, such as
        ``epochs``, ``batch_size``, ``learning_rate``, ``workers``.

        EngineError in one sentence if something does not fit.
        """
        import torch

        fitting = _fitting()
        material = fitting.material_of(model, data, loss)
        spec: TrainingSpec = fitting.spec_of(self.strategy, self._options | options, model, data)
        module = model if isinstance(model, torch.nn.Module) else None
        fitted: Fitted = fitting.fit(self._connected(spec), spec, material, api.reports(), module)
        return fitted

    def _connected(self, spec: TrainingSpec) -> api.Communicator:
        return api.init(spec.transport, spec.timeout_seconds)


def _class_of(strategy: str) -> type[Strategy]:
    name = class_name(strategy)
    about = f"The strategy ``{strategy}`` of training jobs (docs/training.md)."
    return type(name, (Strategy,), {"strategy": strategy, "__doc__": about, "__module__": __name__})


def class_name(strategy: str) -> str:
    """Return the name of a strategy's class, such as MirroredStrategy."""
    return "".join(word.capitalize() for word in strategy.split("_")) + "Strategy"


CLASSES: dict[str, type[Strategy]] = {class_name(strategy): _class_of(strategy) for strategy in STRATEGIES}


def _fitting() -> ModuleType:
    """Import what needs PyTorch."""
    try:
        import_module("torch")
    except ImportError as error:
        raise EngineError(
            f"strategies need PyTorch, which cannot be imported ({error}); pip install 'ringscope[train]'."
        ) from error
    from ringscope.train import fitting

    return fitting
