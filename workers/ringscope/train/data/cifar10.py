"""CIFAR-10 in its python version, from a folder.

60 000 pictures of 32x32 pixels in 10 classes. Source: A. Krizhevsky, Learning Multiple Layers of Features from Tiny
Images, 2009; https://www.cs.toronto.edu/~kriz/cifar.html.
"""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from ringscope.contracts.training import TrainingSpec
from ringscope.engine.errors import EngineError
from ringscope.train.data.split import Dataset, pictures

TRAINING_FILES = tuple(f"data_batch_{i}" for i in range(1, 6))
TEST_FILE = "test_batch"
NAMES_FILE = "batches.meta"
FILES = (*TRAINING_FILES, TEST_FILE, NAMES_FILE)
SHAPE = (3, 32, 32)
_PIXELS = 3 * 32 * 32
_T = TypeVar("_T")


def _encode(text: str, encoding: str) -> bytes:
    """Reconstruct bytes as Python 3 writes them in protocols without a bytes type."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"it encodes text as {encoding!r}, which never occurs in these files")
    return text.encode("latin1")


def _empty_bytes() -> bytes:
    """Reconstruct empty bytes, likewise."""
    return b""


def _from_buffer(buffer: Any, dtype: np.dtype[Any], shape: tuple[int, ...], order: str) -> Any:
    """Reconstruct an array as protocol 5 writes it; NumPy refuses objects here."""
    array = np.frombuffer(buffer, dtype)
    return array.reshape(shape, order="F" if order == "F" else "C").copy(order="C")


def _scalar(dtype: np.dtype[Any], content: bytes) -> Any:
    """Reconstruct a NumPy number; NumPy refuses objects here."""
    return np.frombuffer(content, dtype)[0]


# All names in these files, as written by Python 2 or pickled again by Python 3, in any protocol, with NumPy before and
# after 2.0: arrays, numbers and bytes. Any other name in a pickle could run a program.
_ADMITTED: dict[tuple[str, str], Any] = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("_codecs", "encode"): _encode,
    ("__builtin__", "bytes"): _empty_bytes,
    ("builtins", "bytes"): _empty_bytes,
}
for _core in ("numpy.core", "numpy._core"):
    _ADMITTED |= {
        (f"{_core}.multiarray", "_reconstruct"): np.empty(0).__reduce__()[0],
        (f"{_core}.multiarray", "scalar"): _scalar,
        (f"{_core}.numeric", "_frombuffer"): _from_buffer,
    }


def load(spec: TrainingSpec) -> Dataset:
    """Return the pictures in the folder; EngineError for files that are missing or have another content."""
    folder = Path(spec.dataset.path or "")
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise EngineError(
            f"training.dataset.path: {', '.join(missing)} not found in {folder}; unpack CIFAR-10's python version "
            f"(cifar-10-python.tar.gz) on every node and name the folder that holds {', '.join(FILES)}."
        )
    classes = len(_read(folder / NAMES_FILE, _names))
    batches = [_read(folder / name, _batch) for name in (*TRAINING_FILES, TEST_FILE)]
    for name, (_, labels) in zip((*TRAINING_FILES, TEST_FILE), batches, strict=True):
        if int(labels.max()) >= classes:
            raise _broken(folder / name, f"it has label {int(labels.max())}, and there are {classes} classes")
    training = torch.cat([batch[0] for batch in batches[:-1]]), torch.cat([batch[1] for batch in batches[:-1]])
    return pictures("cifar10", training, batches[-1], classes)


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ADMITTED:
            raise pickle.UnpicklingError(f"it names {module}.{name}, which never occurs in these files")
        return _ADMITTED[module, name]


def _read(path: Path, parse: Callable[[dict[Any, Any]], _T]) -> _T:
    """Parse a file of one pickled dictionary; a broken pickle can raise almost any exception."""
    try:
        with path.open("rb") as file:
            content = _Unpickler(file, encoding="bytes").load()
        return parse({key.decode() if isinstance(key, bytes) else key: value for key, value in content.items()})
    except OSError as error:
        raise EngineError(f"training.dataset.path: cannot read {path}: {error.strerror or error}.") from error
    except KeyError as error:
        raise _broken(path, f"it has no {error.args[0]}") from error
    except Exception as error:
        raise _broken(path, str(error) or type(error).__name__) from error


def _names(content: dict[Any, Any]) -> list[Any]:
    return list(content["label_names"])


def _batch(content: dict[Any, Any]) -> tuple[Tensor, Tensor]:
    """Return pictures (n, 3, 32, 32) of bytes, and their labels."""
    data, labels = content["data"], np.asarray(content["labels"], dtype=np.int64)
    if data.dtype != np.uint8 or data.ndim != 2 or data.shape[1] != _PIXELS or not len(data):
        raise ValueError(f"its data is {data.dtype} of shape {data.shape} instead of uint8 of shape (n, {_PIXELS})")
    if labels.shape != (len(data),) or labels.min() < 0:
        raise ValueError(f"{len(data)} pictures have labels of shape {labels.shape}, which must be numbers from 0")
    return torch.from_numpy(np.ascontiguousarray(data).reshape(-1, *SHAPE)), torch.from_numpy(labels)


def _broken(path: Path, why: str) -> EngineError:
    return EngineError(
        f"training.dataset.path: {path} is not a file of CIFAR-10's python version ({why.rstrip('.')}); unpack "
        "cifar-10-python.tar.gz again."
    )
