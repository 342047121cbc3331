"""The environment of a job reaches its ranks, and no command line on the machine."""

import psutil
from tests.cluster.lab import Lab

SECRET = "hf_do_not_show_4711"
ASKED = {"HF_TOKEN": SECRET, "NCCL_ALGO": "Ring", "OMP_NUM_THREADS": "3"}


def test_ranks_have_the_jobs_variables_and_no_command_line_has_a_secret(lab: Lab) -> None:
    refused = lab.run_here("submit", "--ranks", "2", "--env", "LD_PRELOAD=/x.so")
    assert refused.returncode == 2
    assert "env.LD_PRELOAD: no node takes this variable; start an agent with --allow-env default" in refused.stderr
    job_id, ranks = lab.start_endless_job(2, env=ASKED)
    assert all(ASKED.items() <= rank.environ().items() for rank in ranks)
    assert not [one for one in psutil.process_iter(["cmdline"]) if SECRET in " ".join(one.info["cmdline"] or ())]
    assert lab.job(job_id).spec.env == ASKED | {"HF_TOKEN": "[removed]"}
    lab.run_here("cancel", str(job_id))
    lab.wait_for_state(job_id, "cancelled")
