"""The strategies of training: their names, and what distinguishes them. Pure."""

from typing import Literal, get_args

Strategy = Literal[
    "mirrored",
    "multi_worker_mirrored",
    "parameter_server",
    "torch_ddp",
    "tf_mirrored",
    "tf_multi_worker_mirrored",
    "tf_parameter_server",
    "tpu",
]
Consistency = Literal["sync", "async", "ssp"]

STRATEGIES: tuple[str, ...] = get_args(Strategy)
MIRRORED = frozenset({"mirrored", "multi_worker_mirrored"})  # our own strategies, with one gradient sum per step
# Strategies for one node, each with its equivalent for several nodes.
ONE_NODE = {"mirrored": "multi_worker_mirrored", "tf_mirrored": "tf_multi_worker_mirrored"}
TENSORFLOW = frozenset({"tf_mirrored", "tf_multi_worker_mirrored", "tf_parameter_server"})
PARAMETER_SERVERS = frozenset({"parameter_server", "tf_parameter_server"})
PEERS = TENSORFLOW | {"torch_ddp"}  # strategies of other libraries, for comparison: they sum gradients themselves


def libraries(strategy: str) -> dict[str, str]:
    """Return the libraries that each rank's node needs, with the extra of ringscope that installs each."""
    # TensorFlow's strategies train our models, which are written in PyTorch.
    return {"torch": "train"} | ({"tensorflow": "tensorflow"} if strategy in TENSORFLOW else {})
