"""A soak: jobs without end, a fault every few seconds, and a close look when all is over."""

import logging
import time
from collections.abc import Iterator
from contextlib import suppress
from random import Random

import httpx
from tests.cluster.hosts.soak import findings
from tests.cluster.hosts.soak.faults import Faults
from tests.cluster.hosts.soak.hosts import leftovers
from tests.cluster.hosts.soak.site import HOSTS, SLOTS, Site
from tests.cluster.hosts.soak.spools import Spools
from tests.cluster.hosts.soak.workload import work

from ringscope.client import ApiProblemError, Client, ServerAwayError

logger = logging.getLogger(__name__)

TICK_SECONDS = 0.4
BACKLOG = 20  # jobs that have not ended at a time
FAULT_SECONDS = (2.0, 6.0)  # between two faults,
PATIENCE_SECONDS = 12.0  # but on a machine that is so slow that no job ended meanwhile it is so long
QUIET_SHARE = 0.05  # of the jobs that are left when the faults end
STUCK_SECONDS = 180.0  # without the end of any job
PROOF_SECONDS = 60.0
OPEN_STATES = ("held", "queued", "starting", "running", "stopping")


class Soak:
    """One soak.

    Args:
        seed: of all that is random in it; what it meets on its way is not.
        jobs: at least so many.
        seconds: at least so long.
    """

    def __init__(self, site: Site, seed: int, jobs: int, seconds: float) -> None:
        self._site, self._seed, self._jobs, self._seconds = site, seed, jobs, seconds
        self._begun = time.monotonic()
        self._log: list[str] = []
        self._coming = work(Random(seed))
        self._next = next(self._coming)
        self._works: findings.Works = {}
        self._open: set[int] = set()
        self._last_end = self._last_fault = self._rest = 0.0
        self._cancels: list[tuple[float, int]] = []
        self._faults = Faults(site, Random(seed + 1), self._say)
        self._pause = Random(seed + 2)
        self._spools = Spools(site.data_dir / "lab")
        self._found: list[str] = []

    def run(self) -> list[str]:
        """Run until every job has ended and the site was checked; return each error as a sentence."""
        with self._site.client() as client:
            while self._wants_more or self._open:
                if self._is_rough and self._is_time_for_a_fault:
                    self._faults.strike(self.elapsed_seconds)
                    self._last_fault, self._rest = self.elapsed_seconds, self._pause.uniform(*FAULT_SECONDS)
                self._faults.undo_due(self.elapsed_seconds)
                with suppress(ServerAwayError):
                    self._tick(client)
                if self.elapsed_seconds - self._last_end > STUCK_SECONDS:
                    self._say("stuck")
                    break
                time.sleep(TICK_SECONDS)
            self._say("looking")
            self._faults.undo_due(float("inf"))
            self._found = self._look(client)
        return self._found

    @property
    def account(self) -> str:
        """The number of jobs and faults, and the duration."""
        return f"{len(self._works)} jobs and {self._faults.struck} faults in {self.elapsed_seconds:.0f} s"

    def report(self) -> str:
        """Seed, faults and findings: what is needed to understand them."""
        first = f"RINGSCOPE_SOAK_SEED={self._seed}: {'; '.join(self._found)}"  # all that a summary keeps
        return "\n".join([first, *self._log])

    @property
    def elapsed_seconds(self) -> float:
        """The seconds since the run began."""
        return time.monotonic() - self._begun

    @property
    def _wants_more(self) -> bool:
        return len(self._works) < self._jobs or self.elapsed_seconds < self._seconds

    @property
    def _is_rough(self) -> bool:
        """Faults strike, but let the last jobs end in peace."""
        return self._wants_more or len(self._open) > QUIET_SHARE * self._jobs

    @property
    def _is_time_for_a_fault(self) -> bool:
        since = self.elapsed_seconds - self._last_fault
        return since >= (self._rest if self._last_end > self._last_fault else PATIENCE_SECONDS)

    def _say(self, line: str) -> None:
        self._log.append(f"{self.elapsed_seconds:6.1f} s  {time.strftime('%H:%M:%S')}  {line}")
        logger.info(self._log[-1])

    def _tick(self, client: Client) -> None:
        self._spools.keep()
        while self._wants_more and len(self._open) < BACKLOG:
            self._submit(client)
        self._cancel_due(client)
        still_open = {job.id for job in client.jobs(state=OPEN_STATES, limit=None)}
        if ended := self._open - still_open:
            self._last_end = self.elapsed_seconds
            self._say(f"ended: {sorted(ended)}")
        self._open = still_open

    def _submit(self, client: Client) -> None:
        """The key keeps one whose answer was lost from being submitted twice."""
        job = client.submit(self._next.spec, f"soak-{len(self._works)}")
        self._works[job.id] = self._next
        self._open.add(job.id)
        if self._next.cancel_after_seconds is not None:
            self._cancels.append((self.elapsed_seconds + self._next.cancel_after_seconds, job.id))
        self._next = next(self._coming)

    def _cancel_due(self, client: Client) -> None:
        for at, job_id in list(self._cancels):
            if at <= self.elapsed_seconds:
                try:
                    client.cancel(job_id)
                except ApiProblemError as error:
                    if error.status != httpx.codes.CONFLICT:  # it has ended already
                        raise
                self._cancels.remove((at, job_id))

    def _look(self, client: Client) -> list[str]:
        """Nothing may be left now, once agents and server had the time to tell each other."""
        deadline = self.elapsed_seconds + PROOF_SECONDS
        while (found := [*self._present(client)]) and self.elapsed_seconds < deadline:
            self._spools.keep()
            time.sleep(TICK_SECONDS)
        found += self._past()
        if not found:
            found += self._last_job(client)
        return found

    def _present(self, client: Client) -> Iterator[str]:
        """Yield what is wrong with hosts, slots and tables now, and may still become right."""
        try:
            yield from self._site.lacks(client)
            yield from (f"{node.name} has busy slots" for node in client.nodes() if node.slots_busy)
        except ServerAwayError as error:
            yield str(error)
        with findings.tables(self._site.data_dir) as tables:
            yield from findings.of_attempts(tables)
            yield from findings.of_insights(tables)
        for host in HOSTS:
            yield from leftovers(self._site, host)

    def _past(self) -> list[str]:
        """Return the errors that cannot become right any more."""
        with findings.tables(self._site.data_dir) as tables:
            return [
                *findings.of_jobs(tables, self._works, self._faults.lossy),
                *findings.of_events(tables),
                *findings.of_steps(tables, self._faults.lossy),
                *findings.of_results(tables, self._faults.lossy),
                *findings.of_spools(tables, self._spools.read()),
            ]

    def _last_job(self, client: Client) -> Iterator[str]:
        """All slots together still do what they should."""
        sweep = {"algorithms": ["ring"], "min_bytes": 65536, "max_bytes": 65536, "iterations": 5}
        ranks = len(HOSTS) * SLOTS
        job = client.submit({"name": "last", "benchmark": sweep, "placement": {"ranks": ranks}, "max_attempts": 1})
        deadline = self.elapsed_seconds + PROOF_SECONDS
        while not (job := client.job(job.id)).is_finished and self.elapsed_seconds < deadline:
            time.sleep(TICK_SECONDS)
        if job.reason != "completed":
            yield f"the last job is {job.state}, {job.reason}: {job.message}"
