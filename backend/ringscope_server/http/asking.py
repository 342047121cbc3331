"""Who asks for work of a processor: it is counted as theirs, and ends when they hang up."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request

from ringscope_server.http.auth import Viewer
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.problems import Problem
from ringscope_server.precedence.worker import Worker

T = TypeVar("T")


@dataclass(frozen=True)
class Asker:
    """One request, and whose it is."""

    request: Request
    token_id: int
    worker: Worker

    async def run(self, work: Callable[[], T]) -> T:
        """The work's result. Raises BusyError, and a Problem that is read by no one once the client has gone."""
        return await self._while_connected(self.worker.run(self.token_id, work))

    async def _while_connected(self, answer: Coroutine[Any, Any, T]) -> T:
        working = asyncio.create_task(answer)
        gone = asyncio.create_task(self._hangs_up())
        try:
            await asyncio.wait((working, gone), return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise Problem(503, "client_gone", "The client closed the connection; the work has ended.")
            return working.result()
        finally:
            for task in (working, gone):
                task.cancel()
            await asyncio.gather(working, gone, return_exceptions=True)

    async def _hangs_up(self) -> None:
        while (await self.request.receive())["type"] != "http.disconnect":
            pass


async def get_asker(request: Request, user: Viewer, services: ServicesDep) -> Asker:
    """Whoever makes this request."""
    return Asker(request, user.token_id, services.planner)


AskerDep = Annotated[Asker, Depends(get_asker)]
