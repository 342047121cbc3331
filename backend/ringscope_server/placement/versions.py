"""The versions in which nodes differ, in words. Pure."""

from collections import defaultdict
from collections.abc import Sequence

from ringscope_server.nodes.names import listed
from ringscope_server.placement.cluster import GPU_VERSIONS, VERSIONS
from ringscope_server.placement.snapshot import NodeState


def differences(nodes: Sequence[NodeState]) -> str:
    """Return the differences as in: mpi4py is 4.0.0 on n3 and 4.1.0 on n1, n2."""
    with_gpus = [node for node in nodes if node.gpu_models]
    concerned = [(name, nodes) for name in VERSIONS] + [(name, with_gpus) for name in GPU_VERSIONS]
    found = [(name, _by_version(name, those)) for name, those in concerned]
    return "; ".join(f"{name} is {_words(by_version)}" for name, by_version in found if len(by_version) > 1)


def _by_version(name: str, nodes: Sequence[NodeState]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for node in nodes:
        found[node.versions.get(name, "missing")].append(node.name)
    return found


def _words(by_version: dict[str, list[str]]) -> str:
    return " and ".join(f"{version} on {listed(names)}" for version, names in sorted(by_version.items()))
