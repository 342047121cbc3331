"""Nodes on the command line."""

import json
from typing import Any

from tests.cli.fake_api import Answer, FakeApi, items, refusal

from ringscope.cli.formatting import node_state
from ringscope.client import Node

GPU = {"index": 0, "uuid": "u", "model": "NVIDIA H200", "memory_bytes": 141 << 30}


COUNTS = "nodes_ready", "nodes_total", "slots_busy", "slots_total", "jobs_queued", "jobs_running", "jobs_finished"
CLUSTER = {"version": "0.1.0"} | dict.fromkeys(COUNTS, 0)


def node(name: str = "n1", **fields: Any) -> dict[str, Any]:
    usual = {
        "id": 1,
        "name": name,
        "address": "10.0.0.1",
        "revision": 2,
        "desired": "active",
        "desired_reason": "",
        "desired_by": None,
        "desired_at": None,
        "observed": "ready",
        "observed_reason": "",
        "slots_total": 2,
        "slots_busy": 1,
        "slots_free": 0,
        "slots": [
            {"slot": 0, "job_id": 5, "rank": 3, "quarantine": None},
            {"slot": 1, "job_id": None, "rank": None, "quarantine": "process 77 does not end"},
        ],
        "inventory": {"hostname": "n1", "cores": 64, "memory_bytes": 1 << 40, "gpus": [GPU, GPU], "nics": []},
        "versions": {"mpi": "5.0", "ringscope": "0.1.0"},
        "labels": {"rack": "r1"},
        "heartbeat_age_seconds": 2.4,
        "clock_offset_seconds": -0.0012,
        "clock_error_seconds": 0.00034,
    }
    return usual | fields


def test_the_table_says_what_matters(api: FakeApi) -> None:
    drained = node("n2", desired="drain", desired_reason="new DIMM", desired_by="ada", slots_busy=0, slots=[])
    api.answers["GET /nodes"] = items(node(), drained)
    api.answers["GET /cluster"] = CLUSTER
    heading, first, second = api.run("nodes").out.splitlines()
    assert heading.split() == ["NAME", "STATE", "SLOTS", "FREE", "QUARANTINED", "GPUS", "LABELS", "HEARTBEAT"]
    assert first.split() == ["n1", "ready", "1/2", "0", "1", "2x", "NVIDIA", "H200", "rack=r1", "2", "s", "ago"]
    assert "ready, drained: new DIMM (by ada)" in second
    assert [found["name"] for found in json.loads(api.run("nodes", "--json").out)] == ["n1", "n2"]


def test_the_table_names_the_job_whose_diagnosis_blames_a_node_or_a_link_of_it(api: FakeApi) -> None:
    def blame(job_id: int, kind: str, *names: str) -> dict[str, Any]:
        return {"job_id": job_id, "kind": kind, "names": list(names), "sentence": ""}

    api.answers["GET /nodes"] = items(*map(node, ("a", "b", "c", "d")))
    blamed = [blame(9, "link", "a", "b"), blame(8, "node", "b"), blame(7, "link", "a", "c"), blame(6, "boundary", "d")]
    api.answers["GET /cluster"] = CLUSTER | {"blamed": blamed}
    told = [line.split("1/2")[0].split(maxsplit=1)[1].strip() for line in api.run("nodes").out.splitlines()[1:]]
    assert told == ["ready, link blamed by job 9", "ready, blamed by job 8", "ready, link blamed by job 7", "ready"]


def test_states_in_words() -> None:
    def told(**fields: Any) -> str:
        return node_state(Node.model_validate(node(**fields)))

    assert told(observed="degraded", observed_reason="its clock is 3600 s ahead.") == (
        "degraded: its clock is 3600 s ahead"
    )
    assert told(observed="lost", desired="drain", desired_reason="moved") == "lost, draining: moved"


def test_a_node_says_which_variables_it_takes_and_what_nccls_ras_says(api: FakeApi) -> None:
    inventory = {"cores": 1, "memory_bytes": 1, "allow_env": ["NCCL_*", "OMP_*"], "nccl_ras": "localhost:28028"}
    api.answers["GET /nodes/n1"] = node(inventory=inventory)
    remarks = [
        {"kind": "missing", "communicator": "a", "sentence": sentence}
        for sentence in ("Rank 1 does not answer.", "Rank 2 is behind.")
    ]
    state = {"address": "localhost:28028", "age_seconds": 3, "answer": "Rank 1 does not answer.", "remarks": remarks}
    api.answers["GET /nodes/n1/nccl-ras"] = {"node": "n1", "is_asked": True, "state": state}
    lines = api.run("node", "n1").out.splitlines()
    assert "variables NCCL_*, OMP_*" in lines
    assert lines[-2:] == ["nccl-ras  Rank 1 does not answer. (asked 3 s ago)", "          Rank 2 is behind."]


def test_one_node_slot_by_slot(api: FakeApi) -> None:
    api.answers["GET /nodes/n1"] = node()
    hot = {
        "index": 0, "model": "NVIDIA H200", "temperature_celsius": 88, "power_watts": 412.4, "power_limit_watts": 700,
        "clock_mhz": 1410, "most_clock_mhz": 1980, "slowed_by": ["too_hot"], "ecc_uncorrected": 1,
        "is_remap_pending": True, "nvlinks_up": 18, "nvlink_errors": 0, "xids": [74, 74],
    }  # fmt: skip
    api.answers["GET /nodes/n1/gpus"] = {"node": "n1", "age_seconds": 3, "gpus": [hot, {"index": 1, "model": "L4"}]}
    lines = api.run("node", "n1").out.splitlines()
    assert lines == [
        "Node n1: ready, 1 of 2 slots busy, 0 free",
        "address   10.0.0.1, last heartbeat 2 s ago",
        "clock     -1.200 ± 0.340 ms against the server's",
        "hardware  64 cores, 1 TiB, 2x NVIDIA H200",
        "labels    rack=r1",
        "versions  mpi 5.0, ringscope 0.1.0",
        "slot 0    rank 3 of job 5",
        "slot 1    quarantined: process 77 does not end",
        "gpu 0     88 C, 412 of 700 W, 1410 of 1980 MHz, slowed by too_hot, 1 uncorrected memory error, "
        "reset it to replace broken memory, 18 NVLinks, XID 74",
        "gpu 1     L4",
    ]
    assert json.loads(api.run("node", "n1", "--json").out)["revision"] == 2


def test_draining_needs_a_reason(api: FakeApi) -> None:
    assert api.run("drain", "n1").code == 2
    assert api.asked == []
    api.answers["POST /nodes/n1/drain"] = node(desired="drain", desired_reason="new DIMM")
    assert api.run("drain", "n1", "--reason", "new DIMM").out == (
        "Node n1: ready, draining: new DIMM, 1 of 2 slots busy, 0 free\n"
    )
    assert api.last.body == {"reason": "new DIMM"}


def test_resume_labels_slots_and_farewell(api: FakeApi) -> None:
    api.answers |= {
        "POST /nodes/n1/resume": node(),
        "PATCH /nodes/n1": node(labels={"rack": "r2"}),
        "POST /nodes/n1/slots/1/release": node(),
        "DELETE /nodes/n1": Answer("", 204),
    }
    assert api.run("resume", "n1").out == "Node n1: ready, 1 of 2 slots busy, 0 free\n"
    assert api.run("label-node", "n1", "rack=r2", "old-").out == "Node n1: labels rack=r2\n"
    assert api.last.body == {"labels": {"rack": "r2", "old": None}}
    assert api.run("release-slot", "n1", "1").code == 0
    assert api.run("remove-node", "n1").out == "Node n1 is forgotten.\n"


def test_what_cannot_be_is_the_servers_sentence(api: FakeApi) -> None:
    api.answers["DELETE /nodes/n1"] = refusal(409, "wrong_state", "Node n1 is not lost; stop its agent first.")
    done = api.run("remove-node", "n1")
    assert (done.code, done.out, done.err) == (2, "", "Node n1 is not lost; stop its agent first.\n")
