"""A node without ranks: it speaks an agent's protocol and sends the rows that the cost model gives for a job."""

from typing import Any

import httpx
from tests.cluster.lab import Lab, eventually

from ringscope.protocol import GangMember
from ringscope.spec import JobSpec
from ringscope.topology import Link, Topology
from ringscope.transports.simulated import simulated_rows

NAME = "model"
START_NS = 1_767_225_600_000_000_000


def topology(ranks: int) -> Topology:
    """Two nodes with a fast link inside each."""
    return Topology(ranks, Link(2e-6, 12.5e9), intra=Link(1e-6, 100e9), ranks_per_node=ranks // 2)


class SimulatedNode:
    """One node of a lab's server; it runs one job from its first word to its last."""

    def __init__(self, lab: Lab, slots: int) -> None:
        token = (lab.data_dir / "agent-token").read_text().strip()
        headers = {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(base_url=f"{lab.url}/api/v1/agents", headers=headers)
        body = {
            "name": NAME,
            "address": NAME,
            "slots": slots,
            "metrics_address": f"{NAME}:9465",
            "inventory": {"hostname": NAME, "os": "none", "cpu_model": "cost model", "cores": slots, "memory_bytes": 1},
            "versions": {},
        }
        self._epoch = self._http.post("/register", json=body).raise_for_status().json()["epoch"]

    def run(self) -> None:
        """Take the next job, and end it with all its rows."""
        task = self._directed("prepare")
        self._report(task, "ready")
        task = self._directed("launch")
        self._report(task, "running")
        spec, member = JobSpec.model_validate(task["spec"]), GangMember.model_validate(task["gang"][0])
        rows = [row.model_dump() for row in simulated_rows(spec.benchmark, topology(member.slots), START_NS)]
        self._post("records", attempt_id=task["attempt_id"], first_sequence=1, records=rows)
        self._report(task, "ended", reason="completed")
        self._report(self._directed("stop"), "clean", last_sequence=len(rows))
        self._http.close()

    def _post(self, path: str, **body: Any) -> httpx.Response:
        answer = self._http.post(f"/{NAME}/{path}", json={"epoch": self._epoch} | body)
        return answer.raise_for_status()

    def _report(self, task: dict[str, Any], event: str, **more: Any) -> None:
        self._post("reports", attempt_id=task["attempt_id"], event=event, **more)

    def _directed(self, desired: str) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            tasks: list[dict[str, Any]] = self._post("poll", seen=-1).json()["assignments"]
            return next((task for task in tasks if task["desired"] == desired), None)

        return eventually(look, f"an assignment to {desired}")
