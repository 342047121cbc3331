"""The token of a real node is rotated and revoked while a job runs there, and the job does not notice."""

import httpx
import pytest
from tests.cluster.lab import Lab, eventually

from ringscope.client import Token


def own_token(lab: Lab) -> Token:
    with lab.client() as client:
        (found,) = [token for token in client.tokens() if token.kind == "agent"]
    return found


def is_refused(lab: Lab, secret: str, node: str) -> bool:
    headers = {"Authorization": f"Bearer {secret}"}
    answer = httpx.post(f"{lab.url}/api/v1/agents/{node}/poll", json={"epoch": -1}, headers=headers, timeout=60)
    return answer.status_code == 401


def newest_step(lab: Lab, job_id: int) -> int:
    with lab.client() as client:
        return max((item.last_step for item in client.newest_steps(job_id).items), default=-1)


@pytest.mark.long  # the gate has both sides: tests/server/users/test_rotate_token.py, tests/agent/test_joining.py
def test_a_job_runs_on_while_its_nodes_token_is_rotated_and_then_revoked(lab: Lab) -> None:
    file = lab.data_dir / "agent" / "agent-token"
    job_id, ranks = lab.start_endless_job(2)
    for command in ("rotate", "revoke"):
        token, secret = own_token(lab), file.read_text().strip()
        assert token.node is not None
        done = lab.run_here("token", command, str(token.id))
        assert done.returncode == 0, done.stderr
        eventually(lambda secret=secret: file.read_text().strip() not in ("", secret), "another token on disk")
        eventually(lambda token=token, secret=secret: is_refused(lab, secret, token.node), "the end of the old token")
        eventually(lambda: own_token(lab).rotation_wanted_at is None, "the end of the rotation")
        assert file.stat().st_mode & 0o777 == 0o600
        assert (own_token(lab).id == token.id) == (command == "rotate"), "who was revoked has joined again"
        told = newest_step(lab, job_id)
        eventually(lambda told=told: newest_step(lab, job_id) > told, "more steps")
        assert lab.job(job_id).state == "running"
    assert all(rank.is_running() for rank in ranks)
    lab.run_here("cancel", str(job_id))
    lab.wait_for_state(job_id, "cancelled")
