"""A small CIFAR-10 in the files of its python version: pickles as Python 2 wrote them, with str where bytes are now."""

import io
import pickle
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ringscope.train.data.cifar10 import TEST_FILE, TRAINING_FILES


class Python2Pickler(pickle._Pickler):  # the one in C has no dispatch table to change
    """Writes bytes with Python 2's opcodes for str, and names NumPy's modules as of then."""

    dispatch: ClassVar[dict[Any, Any]] = dict(pickle._Pickler.dispatch)

    def save_bytes(self, content: bytes) -> None:
        self.write(pickle.BINSTRING + len(content).to_bytes(4, "little") + content)
        self.memoize(content)

    dispatch[bytes] = save_bytes

    def save_global(self, obj: Any, name: str | None = None) -> None:
        if obj is np.empty(0).__reduce__()[0]:
            self.write(pickle.GLOBAL + b"numpy.core.multiarray\n_reconstruct\n")
        else:
            super().save_global(obj, name)

    dispatch[type(np.empty)] = save_global
    dispatch[type] = save_global


def pickled(content: object) -> bytes:
    file = io.BytesIO()
    Python2Pickler(file, protocol=2).dump(content)
    return file.getvalue()


def write(folder: Path, pictures_per_file: int = 20, seed: int = 0) -> None:
    """All files, with random pictures; label i % 10 for the i-th of a file."""
    rng = np.random.default_rng(seed)
    for name in (*TRAINING_FILES, TEST_FILE):
        data = rng.integers(0, 256, (pictures_per_file, 3072), dtype=np.uint8)
        labels = [i % 10 for i in range(pictures_per_file)]
        files = [f"picture_{i}.png".encode() for i in range(pictures_per_file)]
        content = {b"batch_label": name.encode(), b"labels": labels, b"data": data, b"filenames": files}
        (folder / name).write_bytes(pickled(content))
    names = [f"class_{i}".encode() for i in range(10)]
    meta = {b"num_cases_per_batch": pictures_per_file, b"label_names": names, b"num_vis": 3072}
    (folder / "batches.meta").write_bytes(pickled(meta))
