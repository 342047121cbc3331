"""Measure how long other users wait while one viewer keeps the planner busy: predictions alone, and beside that load.

    python -m benchmarks.server.beside_planner [ROUNDS]

The server is a real process. Twelve connections of one token ask for the sensitivities of 512 nodes with 8 GPUs, each
of which takes some seconds of a core, and ask again at once or when the answer says so. In every round another token
asks for predictions alone, then beside these requests, so that both have the same machine.
"""

import asyncio
import json
import time
from collections.abc import Sequence
from itertools import count
from statistics import median

from benchmarks.command import Parser, exit_with
from benchmarks.command import count as whole_number
from benchmarks.report import Target, judged, say, watched
from benchmarks.server.http_load import Answer, Connection
from benchmarks.server.serving import Serving, serving

ROUNDS, EACH = 4, 5  # predictions of a round, alone and as many beside
QUESTIONS = 12
WARM_SECONDS = 1.0
PAUSE_SECONDS = 1.0  # between predictions, as a person makes them
MOST_SECONDS = 1.0
PREDICTION = {
    "benchmark": {"algorithms": ["ring", "direct", "mpi"], "min_bytes": 8, "max_bytes": 64 << 20},
    "placement": {"ranks": 4},
}


async def _token(server: Serving, name: str) -> str:
    admin = Connection(server.url, server.admin_token)
    answer = await admin.request("POST", "/tokens", json.dumps({"name": name, "role": "viewer"}).encode())
    admin.close()
    assert answer.status == 201, answer
    return str(json.loads(answer.body)["secret"])


class Load:
    """One viewer's questions, again and again."""

    def __init__(self, server: Serving, secret: str) -> None:
        self._server, self._secret = server, secret
        self._numbers = count()
        self._tasks: list[asyncio.Task[None]] = []
        self.answers: dict[int, int] = {}

    async def __aenter__(self) -> "Load":
        """Begin to ask."""
        self._tasks = [asyncio.create_task(self._ask()) for _ in range(QUESTIONS)]
        return self

    async def __aexit__(self, *_: object) -> None:
        """Hang up in the midst of it."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _ask(self) -> None:
        connection = Connection(self._server.url, self._secret)
        try:
            while True:
                factor = 1.1 + next(self._numbers) / 10_000
                body = json.dumps({"cluster": {"shape": "512x8"}, "factor": factor}).encode()
                answer = await connection.request("POST", "/plan/sensitivity", body)
                self.answers[answer.status] = self.answers.get(answer.status, 0) + 1
                if answer.status != 200:
                    await asyncio.sleep(1)  # as its Retry-After says
        finally:
            connection.close()


async def _measured(server: Serving, rounds: int) -> list[Target]:
    viewer, other = await _token(server, "viewer"), await _token(server, "other")
    connection = Connection(server.url, other)
    body = json.dumps(PREDICTION).encode()

    async def predict() -> Answer:
        return await connection.request("POST", "/jobs/prediction", body)

    await predict()
    alone: list[float] = []
    beside: list[float] = []
    load = Load(server, viewer)
    refused = 0
    for number in range(rounds):
        alone += [(await predict()).seconds for _ in range(EACH)]
        async with load:
            await asyncio.sleep(WARM_SECONDS)
            for _ in range(EACH):
                await asyncio.sleep(PAUSE_SECONDS)
                answer = await predict()
                refused += answer.status != 200
                beside.append(answer.seconds)
        say(f"round {number + 1}: worst alone {max(alone[-EACH:]):.3f} s, beside {max(beside[-EACH:]):.3f} s")
    connection.close()
    say(f"the viewer's answers by status: {load.answers}; predictions refused: {refused}")
    for name, seconds in {"alone": alone, "beside": beside}.items():
        say(f"prediction {name:7} median {median(seconds):.3f} s, worst of {len(seconds)} {max(seconds):.3f} s")
    medians, worst = median(beside) / median(alone), max(beside) / max(alone)
    say(f"beside / alone: {medians:.1f} of the medians, {worst:.1f} of the worst")
    return [
        Target(f"worst of {len(beside)} predictions beside the questions, s", MOST_SECONDS, max(beside), at_most=True),
        Target("predictions refused", 0, refused, at_most=True),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and return 1 if a request waited for too long."""
    parser = Parser(__doc__)
    parser.add_argument("rounds", nargs="?", type=whole_number(), default=ROUNDS, help=f"{ROUNDS} unless given")
    rounds = parser.parse_args(arguments).rounds
    began = time.monotonic()
    with watched() as conditions, serving() as server:
        targets = asyncio.run(_measured(server, rounds))
    say(f"{time.monotonic() - began:.0f} s; {conditions}")
    return judged(targets)


if __name__ == "__main__":
    exit_with(main)
