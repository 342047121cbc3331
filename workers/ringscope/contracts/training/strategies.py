"""The strategies of training: their names, and what distinguishes them. Pure."""

from typing import Literal, get_args

Strategy = Literal[
    "mirrored",
    "multi_worker_mirrored",
    "parameter_server",
    "local_sgd",
    "sharded",
    "pipeline",
    "tensor",
    "torch_ddp",
    "torch_fsdp",
    "tf_mirrored",
    "tf_multi_worker_mirrored",
    "tf_parameter_server",
    "tpu",
]
Consistency = Literal["sync", "async", "ssp"]
Weights = Literal["samples", "equal"]
SampleSplit = Literal["shared", "by_label"]

STRATEGIES: tuple[str, ...] = get_args(Strategy)
MIRRORED = frozenset({"mirrored", "multi_worker_mirrored"})  # our own strategies, with one gradient sum per step
# Strategies for one node, each with its equivalent for several nodes.
ONE_NODE = {"mirrored": "multi_worker_mirrored", "tf_mirrored": "tf_multi_worker_mirrored"}
TENSORFLOW = frozenset({"tf_mirrored", "tf_multi_worker_mirrored", "tf_parameter_server"})
PARAMETER_SERVERS = frozenset({"parameter_server", "tf_parameter_server"})
LOCAL_SGD = frozenset({"local_sgd"})
SHARDED = frozenset({"sharded"})
PIPELINE = frozenset({"pipeline"})
TENSOR = frozenset({"tensor"})
# Strategies of other libraries, for comparison: they sum gradients themselves.
PEERS = TENSORFLOW | {"torch_ddp", "torch_fsdp"}
WITHOUT_CHECKPOINTS = TENSORFLOW | {"torch_fsdp"}
# Fields that only some strategies have.
OWN_FIELDS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("servers", "consistency", "staleness"), PARAMETER_SERVERS),
    **dict.fromkeys(("sync_every", "outer_momentum", "outer_learning_rate", "weights", "split"), LOCAL_SGD),
    **dict.fromkeys(("stages", "micro_batches", "schedule"), PIPELINE),
    "compile": MIRRORED | SHARDED | LOCAL_SGD | frozenset({"parameter_server", "torch_ddp"}),
    "batch_split": MIRRORED | SHARDED,
    "compression": MIRRORED,
    "verify_every": MIRRORED | SHARDED | LOCAL_SGD | TENSOR,
}


def libraries(strategy: str) -> dict[str, str]:
    """Return the libraries that each rank's node needs, with the extra of ringscope that installs each."""
    # TensorFlow's strategies train our models, which are written in PyTorch.
    return {"torch": "train"} | ({"tensorflow": "tensorflow"} if strategy in TENSORFLOW else {})
