"""Work in other processes for a request: it counts for the request's token, and ends when the client disconnects."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Annotated, Any, ParamSpec, TypeVar

from fastapi import Depends, Request

from ringscope_server.http.admission import AdmittedDep
from ringscope_server.http.auth import Viewer
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.problems import Problem
from ringscope_server.overload.admission import Admitted
from ringscope_server.overload.process_pool import ProcessPool

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Asker:
    """One request and its token."""

    request: Request
    token_id: int
    admitted: Admitted
    pool: ProcessPool

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of the function, computed in another process.

        Raises BusyError, ProcessLostError, and a Problem, which is not sent, if the client has disconnected.
        """
        self.admitted.end()  # a request that waits for the pool does not block the admission of others
        return await self._while_connected(self.pool.run(self.token_id, function, *args, **kwargs))

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


async def get_asker(request: Request, user: Viewer, services: ServicesDep, admitted: AdmittedDep) -> Asker:
    """Return the asker of this request."""
    return Asker(request, user.token_id, admitted, services.planner)


AskerDep = Annotated[Asker, Depends(get_asker)]
