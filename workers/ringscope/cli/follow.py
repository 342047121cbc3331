"""Following a job until it ends: by live events if they are available, else by polling."""

import time
from collections.abc import Iterator

from ringscope.client import ApiProblemError, Client, Job, LogLine, ServerAwayError

AWAY_SECONDS = 60.0
POLL_SECONDS = 1.0


def follow(client: Client, job_id: int) -> Iterator[Job]:
    """Yield the job now, and again after every change, until it is finished.

    Survives a restart of the server; raises ServerAwayError after a minute without an answer.
    """
    patience = time.monotonic() + AWAY_SECONDS
    while True:
        try:
            for job in _watch(client, job_id):
                yield job
                if job.is_finished:
                    return
                patience = time.monotonic() + AWAY_SECONDS
        except ServerAwayError:
            if time.monotonic() > patience:
                raise
        time.sleep(POLL_SECONDS)


def _watch(client: Client, job_id: int) -> Iterator[Job]:
    """Poll once, then follow the stream as long as it lasts."""
    job = client.job(job_id)
    yield job
    try:
        for event in client.stream((f"job:{job_id}",)):
            # a comment opens the stream, and a heartbeat comes every few seconds: reading the job then closes every gap
            if event.name in ("comment", "heartbeat", "reset"):
                job = client.job(job_id)
            elif event.name == "job" and event.data["id"] == job_id:
                job = Job.read(event.data)
            yield job
    except ApiProblemError:
        return


class LogReader:
    """Reads a job's new log lines, first from ``at``; the cursor, not the stream, determines what is new."""

    def __init__(
        self, client: Client, job_id: int, rank: int | None = None, at: str | None = None, level: str | None = None
    ) -> None:
        self._client = client
        self._job_id = job_id
        self._rank = rank
        self._at = at
        self._level = level
        self._cursor: str | None = None
        self._last_id = -1

    def fresh(self) -> Iterator[LogLine]:
        """Return the lines that were not read before, oldest first."""
        while True:
            page = self._client.log(self._job_id, self._cursor, self._rank, self._at, self._level)
            for line in page.items:
                if line.id > self._last_id:
                    self._last_id = line.id
                    yield line
            if page.next is None:
                return
            self._cursor = page.next
