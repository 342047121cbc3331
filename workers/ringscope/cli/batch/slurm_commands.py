"""Slurm's own commands, as far as `ringscope slurm` needs them."""

import subprocess
from collections.abc import Mapping

from ringscope.contracts.errors import UserError


def submit(script: str, environment: Mapping[str, str]) -> str:
    """Submit a batch job with the whole environment; return its number. Raises UserError if Slurm refuses it."""
    done = _run("sbatch", "--parsable", "--export=ALL", stdin=script, environment=environment)
    if done.returncode != 0:
        raise UserError(f"Slurm refuses the batch job: {_last_line(done.stderr)}")
    return done.stdout.strip().partition(";")[0]  # the cluster's name follows it if there are several clusters


def is_over(job_id: str) -> bool:
    """Return whether Slurm says that the batch job has ended; False if Slurm does not answer."""
    done = _run("squeue", "--noheader", "--job", job_id, "--format=%T")
    return "Invalid job id" in done.stderr or (done.returncode == 0 and not done.stdout.strip())


def _run(
    *command: str, stdin: str = "", environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, input=stdin, env=environment, capture_output=True, text=True)
    except FileNotFoundError:
        raise UserError(
            f"{command[0]} is not found: run this where Slurm's commands are installed, such as a login node."
        ) from None


def _last_line(text: str) -> str:
    lines = text.strip().splitlines() or ["Slurm gives no reason."]
    return lines[-1].removeprefix("sbatch: ").removeprefix("error: ")
