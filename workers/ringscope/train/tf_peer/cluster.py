"""The cluster's description for TensorFlow: TF_CONFIG, built from the ranks' addresses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from ringscope.contracts.address import Address
from ringscope.contracts.training import TrainingSpec

VARIABLE = "TF_CONFIG"


def roles(spec: TrainingSpec, ranks: int) -> list[str]:
    """Return each rank's role: with parameter servers rank 0 distributes the work, and the last ranks hold the
    parameters.
    """
    if spec.strategy != "tf_parameter_server":
        return ["worker"] * ranks
    return ["chief", *["worker"] * (ranks - 1 - spec.servers), *["ps"] * spec.servers]


def tf_config(addresses: Sequence[Address], roles: Sequence[str], rank: int) -> str:
    """Return the value of TF_CONFIG for ``rank``: all addresses by role, and its own role and index."""
    cluster: dict[str, list[str]] = {}
    index = Counter(roles[:rank])[roles[rank]]
    for address, role in zip(addresses, roles, strict=True):
        cluster.setdefault(role, []).append(str(address))
    return json.dumps({"cluster": cluster, "task": {"type": roles[rank], "index": index}})
