"""TensorFlow itself, imported only when needed, because that takes seconds."""

from __future__ import annotations

import os
from typing import Any

from ringscope.engine.errors import EngineError

_VARIABLES = {
    "KERAS_BACKEND": "tensorflow",  # overrides the user's keras.json
    "TF_CPP_MIN_LOG_LEVEL": "2",  # errors only
}


def load(threads: int, ranks: int, replicas: int = 1) -> Any:
    """Return TensorFlow on CPUs with ``threads`` threads and one logical device for each replica; EngineError without
    it.

    Call it once, before TensorFlow has computed anything.
    """
    for name, value in _VARIABLES.items():
        os.environ.setdefault(name, value)
    try:
        import tensorflow as tf
    except ImportError as error:
        raise EngineError(
            f"strategy: TensorFlow cannot be imported ({error}); pip install 'ringscope[tensorflow]' on every node."
        ) from error
    tf.config.set_visible_devices([], "GPU")
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(between_operations(ranks))
    if replicas > 1:
        (cpu,) = tf.config.list_physical_devices("CPU")
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * replicas)
    return tf


def between_operations(ranks: int) -> int:
    """Return the number of concurrent operations: an operation that waits for a rank holds a thread, so too few
    deadlock.
    """
    return ranks + 1
