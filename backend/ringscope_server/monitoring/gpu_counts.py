"""The number of GPUs of each node, without reading the inventories repeatedly."""

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Node

_GPUS = Node.inventory["gpus"]


class GpuCounts:
    """Caches the numbers: they change only when a node registers again, which makes a new epoch."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, int]] = {}  # node -> epoch, GPUs

    async def of(self, session: AsyncSession, epochs: Iterable[tuple[int, int]]) -> dict[int, int]:
        """Return the number of GPUs by node, for pairs of node and epoch."""
        wanted = dict(epochs)
        news = [node for node, epoch in wanted.items() if self._known.get(node, (None,))[0] != epoch]
        if news:
            for node, epoch, gpus in await session.execute(select(Node.id, Node.epoch, _GPUS).where(Node.id.in_(news))):
                self._known[node] = (epoch, len(gpus or ()))
        self._known = {node: known for node, known in self._known.items() if node in wanted}
        return {node: count for node, (_, count) in self._known.items()}
