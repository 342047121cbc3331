"""`ringscope slurm`: nodes from a batch system for the duration of an allocation."""

import os
import sys
import time
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from ringscope.cli.batch import slurm_commands as batch_system
from ringscope.cli.batch.allocation import JOB_LABEL, JOIN_TOKEN_VARIABLE, Allocation, batch_script
from ringscope.cli.commands.up import AllowEnv, NcclRas
from ringscope.cli.connection import Url, connect, server_url
from ringscope.cli.console import DEFAULT_DATA_DIR, EXIT_FAILED, DataDir, complain, say
from ringscope.cli.unused_options import refuse_unused
from ringscope.client import Client
from ringscope.contracts.address import is_loopback, parse_address
from ringscope.contracts.errors import UserError
from ringscope.contracts.findings import field_errors

LOOK_SECONDS = 1.0


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command()(slurm)


def slurm(
    context: typer.Context,
    nodes: Annotated[int, typer.Option(help="Number of nodes.")],
    limit: Annotated[
        str, typer.Option("--time", help="Time limit: minutes, or [days-]hours:minutes:seconds as sbatch takes it.")
    ],
    partition: Annotated[str | None, typer.Option(help="Slurm's partition; default: the site's.")] = None,
    account: Annotated[str | None, typer.Option(help="Slurm's account; default: yours.")] = None,
    name: Annotated[str, typer.Option(help="Name of the batch job.")] = "ringscope",
    slots: Annotated[int | None, typer.Option(help="Ranks on each node; default: whole nodes, all their CPUs.")] = None,
    server: Annotated[
        str | None, typer.Option(help="URL at which the nodes reach the server; default: the URL of this command.")
    ] = None,
    python: Annotated[str, typer.Option(help="The Python with Ringscope on the nodes.")] = sys.executable,
    join_days: Annotated[float, typer.Option(help="How long the batch job may wait until its nodes join.")] = 7.0,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until all nodes are ready.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the batch script and submit nothing.")] = False,
    allow_env: AllowEnv = None,
    nccl_ras: NcclRas = "",
    options: Annotated[
        list[str] | None, typer.Argument(metavar="OPTION", help="More options for sbatch, after --: -- --gres=gpu:8.")
    ] = None,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Get nodes from Slurm for a limited time; prints the number of the batch job: JOB=$(ringscope slurm ...)."""
    if dry_run:
        refuse_unused(context, {"--wait": "--dry-run submits nothing to wait for; leave one of the two out."})
    asked = _allocation(
        nodes=nodes,
        time=limit,
        partition=partition,
        account=account,
        name=name,
        slots=slots,
        server=server or server_url(url, data_dir),
        python=python,
        allow_env=tuple(allow_env or ()),
        nccl_ras=nccl_ras,
        options=tuple(options or ()),
    )
    if dry_run:
        say(batch_script(asked).rstrip("\n"))
        return
    with connect(url, data_dir) as client:
        job_id = _submit(client, asked, join_days)
        _announce(asked, job_id)
        if wait:
            _wait_for_nodes(client, asked.nodes, job_id)
    say(job_id)


def _allocation(**fields: Any) -> Allocation:
    try:
        return Allocation(**fields)
    except ValidationError as error:
        raise UserError(*(found.detail for found in field_errors(error))) from None


def _submit(client: Client, asked: Allocation, join_days: float) -> str:
    """Submit the script to Slurm with a join token for its nodes; no token is left if Slurm refuses it."""
    note = f"for the {asked.nodes} nodes of a batch job of Slurm"
    token = client.add_token(asked.name, "join", None, join_days, note)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RINGSCOPE_")}
    try:
        return batch_system.submit(batch_script(asked), kept | {JOIN_TOKEN_VARIABLE: token.secret})
    except UserError:
        client.revoke_token(token.id)
        raise


def _announce(asked: Allocation, job_id: str) -> None:
    count = "1 node" if asked.nodes == 1 else f"{asked.nodes} nodes"
    complain(f"Slurm job {job_id}: {count} for {asked.time}, as soon as Slurm starts it (`squeue --job {job_id}`).")
    complain(f"They join {asked.server} as slurm-{job_id}-NODE, with label {JOB_LABEL}={job_id}.")
    complain("They take jobs whose time limit ends 30 s before the allocation does, and leave with it.")
    complain(f"`scancel {job_id}` ends it, its nodes and the jobs on them.")
    if is_loopback(parse_address(asked.server).host):
        complain(f"{asked.server} refers to each node itself; unless Slurm runs on this machine alone, give --server.")


def _wait_for_nodes(client: Client, count: int, job_id: str) -> None:
    """Wait until ``count`` nodes of the batch job can take work; exit the command if the batch job ends first."""
    while True:
        # Queried in this order, so that nodes which joined before the end are not missed.
        is_over = batch_system.is_over(job_id)
        ready = [node for node in client.nodes() if node.labels.get(JOB_LABEL) == job_id and node.observed != "lost"]
        if len(ready) >= count:
            complain(f"Ready: {', '.join(node.name for node in ready)}.")
            return
        if is_over:
            complain(f"Slurm job {job_id} ended with {len(ready)} of {count} nodes ready; see slurm-{job_id}.out.")
            raise typer.Exit(EXIT_FAILED)
        time.sleep(LOOK_SECONDS)
