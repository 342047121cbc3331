"""A server with a lab of shaped hosts as its nodes, for the benchmarks that submit jobs."""

import json
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.server.serving import DATA_DIR_PREFIX, serving

from ringscope.client import Client, Job
from ringscope.lab.lab import Lab, WantedLab, wait_until
from ringscope.lab.network import DEVICE, require_network

READY_SECONDS = 60.0
JOB_SECONDS = 600.0
_LOOK_SECONDS = 0.1
_ABANDONED = re.compile(rf"{DATA_DIR_PREFIX}(\d+)-")


@dataclass(frozen=True)
class LabCluster:
    """A lab whose hosts are all ready, and the server that they report to."""

    lab: Lab
    client: Client
    ready_seconds: float  # from the start of the lab until the last node was ready

    def run(self, body: Mapping[str, Any]) -> Job:
        """Submit a job and wait until it has ended; RuntimeError unless it succeeded."""
        return self.finished(self.client.submit(body).id)

    def ended(self, job_id: int) -> Job:
        """Wait until a job has ended, however it did; one that takes longer than JOB_SECONDS is cancelled."""
        deadline = time.monotonic() + JOB_SECONDS
        while not (job := self.client.job(job_id)).is_finished:
            if time.monotonic() > deadline:
                return self.client.cancel(job_id)
            time.sleep(_LOOK_SECONDS)
        return job

    def finished(self, job_id: int) -> Job:
        """Wait until a job has ended; RuntimeError unless it succeeded."""
        job = self.ended(job_id)
        if not job.is_finished:
            raise RuntimeError(f"Job {job.id} ({job.name}) had not ended after {JOB_SECONDS:.0f} s.")
        if job.state != "succeeded":
            raise RuntimeError(f"Job {job.id} ({job.name}) {job.state}: {job.message}")
        return job

    def sent_bytes(self) -> list[int]:
        """Return the bytes that each host's network card has sent so far, in the order of the hosts."""
        layout = self.lab.layout()
        return [_sent_bytes(layout.host(number)) for number in range(layout.hosts)]


@contextmanager
def lab_cluster(
    hosts: int, rate_bit_per_s: int, slots: int = 1, racks: int = 1, oversubscription: float = 1.0
) -> Iterator[LabCluster]:
    """A server on an empty data directory and its lab; both are gone afterwards, whatever happened."""
    require_network()
    remove_abandoned()
    with serving() as server, Client(server.url, server.admin_token) as client:
        lab = Lab(server.data_dir)
        wanted = WantedLab(
            hosts=hosts,
            rate_bit_per_s=rate_bit_per_s,
            slots=slots,
            racks=racks,
            oversubscription=oversubscription,
            server=server.url,
        )
        started = time.monotonic()
        try:
            lab.up(wanted)
            _wait_for_nodes(client, lab, hosts)
            yield LabCluster(lab, client, time.monotonic() - started)
        finally:
            lab.down()


def remove_abandoned() -> None:
    """Take down the labs of runs that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{DATA_DIR_PREFIX}*"):
        found = _ABANDONED.match(folder.name)
        if found and not Path("/proc", found[1]).exists():
            Lab(folder).down()
            shutil.rmtree(folder, ignore_errors=True)


def _wait_for_nodes(client: Client, lab: Lab, hosts: int) -> None:
    def look() -> bool:
        return sum(node.observed in ("ready", "degraded") for node in client.nodes()) == hosts

    if not wait_until(look, READY_SECONDS):
        words = next((host.last_words for host in lab.hosts if host.last_words), "their agents printed nothing")
        raise RuntimeError(f"Not all of {hosts} hosts were ready within {READY_SECONDS:.0f} s: {words}")


def _sent_bytes(namespace: str) -> int:
    command = ["ip", "-n", namespace, "-s", "-j", "link", "show", DEVICE]
    (device,) = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return int(device["stats64"]["tx"]["bytes"])
