"""The batch script that turns a Slurm allocation into nodes of Ringscope, with one agent on each. Pure.

It works from Slurm 22.05 on. The join token is in the environment of the batch job, not in the script or on a command
line.
"""

import re
import shlex

from pydantic import Field, field_validator

from ringscope.contracts.address import with_port
from ringscope.contracts.environment import checked_patterns
from ringscope.contracts.spec_model import SpecModel

JOIN_TOKEN_VARIABLE = "RINGSCOPE_JOIN_TOKEN"
JOB_LABEL = "slurm_job"
_TIME = re.compile(r"[0-9]+(:[0-9]+){0,2}|[0-9]+-[0-9]+(:[0-9]+){0,2}")
_WORD = re.compile(r"[\w.@+,-]+")


class Allocation(SpecModel):
    """Options of a Slurm allocation, and where its agents find the server and Python."""

    nodes: int = Field(ge=1, le=4096)
    time: str = Field(description="Time limit in sbatch's format: minutes, or [days-]hours:minutes:seconds.")
    server: str = Field(description="URL of the server, as the nodes reach it.")
    python: str = Field(description="The Python with Ringscope on the nodes.")
    name: str = "ringscope"
    partition: str | None = None
    account: str | None = None
    slots: int | None = Field(
        None, ge=1, le=4096, description="Ranks on each node; null: whole nodes, one rank per core."
    )
    allow_env: tuple[str, ...] = Field((), description="Patterns of the variables that jobs may set; empty: the usual.")
    nccl_ras: str = Field("", description="HOST:PORT of NCCL's RAS on each node; empty: the agents do not ask it.")
    options: tuple[str, ...] = Field((), description="More options of sbatch, such as --gres=gpu:8.")

    @field_validator("time")
    @classmethod
    def _is_a_time(cls, time: str) -> str:
        if not _TIME.fullmatch(time):
            raise ValueError(f"{time!r} is not a time for Slurm; give minutes, or [days-]hours:minutes:seconds.")
        return time

    @field_validator("name", "partition", "account")
    @classmethod
    def _is_one_word(cls, word: str | None) -> str | None:
        if word is not None and not _WORD.fullmatch(word):
            raise ValueError(f"{word!r} is not a name for Slurm; use letters, digits and any of _ . @ + , -")
        return word

    @field_validator("allow_env")
    @classmethod
    def _are_patterns(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        return checked_patterns(patterns)

    @field_validator("nccl_ras")
    @classmethod
    def _is_an_address(cls, address: str) -> str:
        return with_port(address) if address else ""

    @field_validator("options")
    @classmethod
    def _are_options(cls, options: tuple[str, ...]) -> tuple[str, ...]:
        for option in options:
            if not option.startswith("-") or not option.isprintable():
                raise ValueError(f"{option!r} is not an option of sbatch; write it as one word, as in --gres=gpu:8.")
        return options


def batch_script(asked: Allocation) -> str:
    """Return the script for sbatch."""
    directives = [f"#SBATCH {directive}" for directive in _directives(asked)]
    exports = [f"export {name}={value}" for name, value in _variables(asked).items()]
    return "\n".join((_HEAD, *directives, _CHECK, *exports, _AGENTS))


def _directives(asked: Allocation) -> list[str]:
    return [
        f"--job-name={asked.name}",
        f"--nodes={asked.nodes}",
        f"--time={asked.time}",
        *([f"--partition={asked.partition}"] if asked.partition else []),
        *([f"--account={asked.account}"] if asked.account else []),
        "--ntasks-per-node=1",
        f"--cpus-per-task={asked.slots}" if asked.slots else "--exclusive",
        "--no-kill",
        "--no-requeue",
        *asked.options,
    ]


def _variables(asked: Allocation) -> dict[str, str]:
    return {
        "RINGSCOPE_SERVER": shlex.quote(asked.server),
        "agent_python": shlex.quote(asked.python),
        "agent_slots": str(asked.slots or ""),
        **({"RINGSCOPE_ALLOW_ENV": shlex.quote(",".join(asked.allow_env))} if asked.allow_env else {}),
        **({"RINGSCOPE_NCCL_RAS": shlex.quote(asked.nccl_ras)} if asked.nccl_ras else {}),
    }


_HEAD = """\
#!/bin/bash
# Nodes of Ringscope for as long as this allocation lasts: one agent on each of its nodes (docs/slurm.md).
# `ringscope slurm` writes and submits this. By hand, with a token for joining in the environment:
#   RINGSCOPE_JOIN_TOKEN=$(ringscope token add slurm --kind join --days 7 -q) sbatch --export=ALL FILE"""

_CHECK = """\
# --no-kill: the other nodes stay when one fails. --no-requeue: nodes that come back would need another token.

: "${RINGSCOPE_JOIN_TOKEN:?it lets the nodes join; see the top of this script}\""""

_AGENTS = r"""
# When the allocation ends, in seconds since 1970: squeue prints it in this machine's time zone.
export leaves_at=${SLURM_JOB_END_TIME:-$(date -d "$(squeue --noheader --job "$SLURM_JOB_ID" --format=%e)" +%s)}

run_agent() {
    address=$(scontrol show node "$SLURMD_NODENAME" | sed -n 's/.*NodeAddr=\([^ ]*\).*/\1/p')
    data=$(mktemp -d "${TMPDIR:-/tmp}/ringscope-agent-XXXXXX") || exit 1
    # On SIGTERM (scancel, or the time limit) the agent ends its ranks and leaves; only then may its folder go.
    trap 'kill -TERM $agent 2>/dev/null' TERM
    "$agent_python" -m ringscope_agent --name "slurm-$SLURM_JOB_ID-$SLURMD_NODENAME" --address "$address" \
        ${agent_slots:+--slots "$agent_slots"} --leaves-at "$leaves_at" --metrics-port 0 --data-dir "$data" \
        --label "slurm_job=$SLURM_JOB_ID" --label "slurm_partition=$SLURM_JOB_PARTITION" &
    agent=$!
    while kill -0 $agent 2>/dev/null; do
        wait $agent
        code=$?
    done
    rm -rf "$data"
    return ${code:-1}
}
export -f run_agent

# An agent that ends must not end the others, which a site's defaults for the last two of these might do.
srun --ntasks-per-node=1 --mpi=none --cpu-bind=none --no-kill --kill-on-bad-exit=0 --wait=0 bash -c run_agent
"""
