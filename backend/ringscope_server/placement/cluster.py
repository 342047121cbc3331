"""The nodes of a snapshot as arrays, and which of them a gang may use together. Pure.

A gang stays within one group: nodes that reach each other and are equal in the versions that its ranks must have in
common, each with an address of its own, and in one rack if it asks for that. Nodes are numbered by their place in the
snapshot.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ringscope.contracts.environment import takes
from ringscope.contracts.job import Placement
from ringscope_server.placement.snapshot import NodeState, RunningGang, WorkPlacement

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

VERSIONS = ("ringscope", "mpi", "mpi4py")
GPU_VERSIONS = ("nccl", "cupy", "cuda")

_MOST_CHOICES = 64  # groups made of one set of nodes, some of which have the same address
_MOST_GROUPS = 256  # remembered by a cluster; with 2,000 nodes some 30 kB each


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Entries ``node`` (a number) and ``group``, group after group; a node may be in several."""

    node: Ints
    group: Ints
    count: int

    @classmethod
    def of(cls, groups: Sequence[Sequence[int]]) -> "Groups":
        """Make groups from lists of node numbers."""
        return cls(
            node=np.array([number for group in groups for number in group], dtype=np.int64),
            group=np.array([index for index, group in enumerate(groups) for _ in group], dtype=np.int64),
            count=len(groups),
        )

    def without(self, numbers: Collection[int]) -> "Groups":
        """Return the same groups without some nodes."""
        stays = np.isin(self.node, list(numbers), invert=True, kind="sort")
        return Groups(self.node[stays], self.group[stays], self.count)


class Cluster:
    """Nodes with their slots, whoever holds them now. It is shared and must not be changed."""

    _last: ClassVar[tuple["Cluster", ...]] = ()

    @classmethod
    def of(cls, nodes: Sequence[NodeState]) -> "Cluster":
        """Return one of the last two clusters if the nodes are still the same, as in most passes and predictions."""
        last = Cluster._last
        found = next((known for known in last if known.nodes == nodes), None) or cls(nodes)
        Cluster._last = (found, *[known for known in last if known is not found][:1])
        return found

    def __init__(self, nodes: Sequence[NodeState]) -> None:
        self.nodes = nodes
        self._groups: dict[tuple[object, ...], Groups] = {}
        self.capacity: Ints = np.array([len(node.slots) for node in nodes], dtype=np.int64)
        self.number = {node.id: number for number, node in enumerate(nodes)}
        self.number_of_name = {node.name: number for number, node in enumerate(nodes)}

    def held_by(self, gang: RunningGang) -> list[tuple[int, int]]:
        """Return (node number, slots) that are free again when the gang ends; all slots of the nodes of an exclusive
        one.

        Quarantined slots do not come back: a node on which the gang has no other slots is left out. Slots that a node
        had and has no more count as well: the ranks on them still fill the node.
        """
        held = [
            (number, len(set(share.slots) - lost) if (lost := self.nodes[number].quarantined) else len(share.slots))
            for share in gang.shares
            if (number := self.number.get(share.node_id)) is not None
        ]
        if gang.is_exclusive:
            return [(number, int(self.capacity[number])) for number, slots in held if slots]
        return held

    def groups(self, placement: Placement, *, any_version: bool = False, any_address: bool = False) -> Groups:
        """Return the sets of nodes within which such a gang must stay.

        ``any_version`` lets versions differ, ``any_address`` lets nodes have the same address.
        """
        key = (*who(placement), any_version, any_address)
        groups = self._groups.get(key)
        if groups is None:
            if len(self._groups) >= _MOST_GROUPS:
                self._groups.clear()
            groups = self._groups[key] = self._grouped(placement, any_version, any_address)
        return groups

    def _grouped(self, placement: Placement, any_version: bool, any_address: bool) -> Groups:
        wanted = [suits for _, suits in conditions(placement)]
        usable = [number for number, node in enumerate(self.nodes) if all(suits(node) for suits in wanted)]
        reaching = self._by(usable, lambda node: (node.only_on, node.rack if placement.same_rack else None))
        found = [group for those in reaching for group in ([those] if any_version else self._alike(those))]
        if not any_address:
            found = [choice for group in found for choice in self._one_of_each_address(group)]
        return Groups.of([group for group in found if group])

    def _one_of_each_address(self, numbers: Sequence[int]) -> list[list[int]]:
        """Return groups with one node of each address, because mpiexec starts one proxy for each address.

        Each node is in one of them. Of very many combinations, only as many as the nodes of one address are returned.
        """
        alike = self._by(numbers, lambda node: node.address or node.id)
        if len(alike) == len(numbers):
            return [list(numbers)]
        if prod(len(those) for those in alike) <= _MOST_CHOICES:
            return [sorted(choice) for choice in product(*alike)]
        most = max(len(those) for those in alike)
        return [sorted(those[turn % len(those)] for those in alike) for turn in range(most)]

    def _alike(self, numbers: Sequence[int]) -> Iterator[list[int]]:
        """Group nodes without GPUs with GPU nodes of any one kind: they have no GPU library that could differ."""
        for same in self._by(numbers, lambda node: tuple(node.versions.get(name) for name in VERSIONS)):
            with_gpus = [number for number in same if self.nodes[number].gpu_models]
            without = [number for number in same if not self.nodes[number].gpu_models]
            if not with_gpus:
                yield without
            for kind in self._by(with_gpus, lambda node: tuple(node.versions.get(name) for name in GPU_VERSIONS)):
                yield sorted(kind + without)

    def _by(self, numbers: Iterable[int], key: Callable[[NodeState], object]) -> list[list[int]]:
        found: dict[object, list[int]] = defaultdict(list)
        for number in numbers:
            found[key(self.nodes[number])].append(number)
        return list(found.values())


def who(placement: Placement) -> tuple[object, ...]:
    """Return the part of a placement that decides which nodes it may use."""
    return (
        tuple(sorted(placement.selector.items())) if placement.selector else (),
        tuple(placement.node_names),
        placement.exclusive,
        placement.same_rack,
        placement.quiet,
        tuple(sorted(own_nodes(placement))),
        placement.gpu_model,
        placement.min_gpu_memory_bytes,
        placement.min_memory_bytes,
        kind_of(placement),
        variables_of(placement),
    )


def kind_of(placement: Placement) -> str:
    """Return the kind of the job of a placement; a bare placement is that of a benchmark."""
    return placement.kind if isinstance(placement, WorkPlacement) else "benchmark"


def variables_of(placement: Placement) -> tuple[str, ...]:
    """Return the names of the environment variables that the job sets."""
    return placement.env if isinstance(placement, WorkPlacement) else ()


def own_nodes(placement: Placement) -> frozenset[str]:
    """Return the names of the nodes whose load is that of the job's last attempt."""
    return placement.own_nodes if isinstance(placement, WorkPlacement) else frozenset()


def remedy(kind: str) -> str:
    """Return what makes a node run jobs of this kind, as the end of a sentence."""
    match kind:
        case "script":
            return "start an agent with --scripts DIR"
        case "training" | "strategy_search":
            return "pip install 'ringscope[train]' on a node and start its agent again, or see `ringscope nodes`"
        case _:
            return "`ringscope nodes` says why"


def conditions(placement: Placement) -> list[tuple[str, Callable[[NodeState], bool]]]:
    """Return the conditions of a placement for each node, by the name of their field."""
    model, gpu_memory, memory = placement.gpu_model, placement.min_gpu_memory_bytes, placement.min_memory_bytes
    kind = kind_of(placement)
    found: list[tuple[str, Callable[[NodeState], bool]]] = [("kind", lambda node: kind not in node.unfit_for)]
    if variables := variables_of(placement):
        found.append(("env", lambda node: all(takes(node.allow_env, name) for name in variables)))
    if names := frozenset(placement.node_names):
        found.append(("node_names", lambda node: node.name in names))
    if placement.selector:
        found.append(("selector", lambda node: placement.selector.items() <= node.labels.items()))
    if model is not None:
        wanted = model.lower()
        found.append(("gpu_model", lambda node: _all(wanted in known.lower() for known in node.gpu_models)))
    if gpu_memory is not None:
        found.append(("min_gpu_memory_bytes", lambda node: node.gpu_memory_bytes >= gpu_memory))
    if memory is not None:
        found.append(("min_memory_bytes", lambda node: node.memory_bytes >= memory))
    if placement.same_rack:
        found.append(("same_rack", lambda node: node.rack is not None))
    if placement.quiet:
        own = own_nodes(placement)
        found.append(("quiet", lambda node: node.is_quiet or node.name in own))
    if placement.exclusive:
        found.append(("exclusive", lambda node: not node.quarantined))
    return found


def _all(answers: Iterable[bool]) -> bool:
    """Return whether there is at least one answer and all are true."""
    listed = list(answers)
    return bool(listed) and all(listed)
