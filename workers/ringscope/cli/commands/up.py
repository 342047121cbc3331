"""`ringscope up`: the server and one agent on this machine until Ctrl-C."""

import os
from pathlib import Path
from typing import Annotated

import typer

from ringscope.cli.console import DEFAULT_DATA_DIR, EXIT_FAILED, DataDir, command_name, complain, say
from ringscope.cli.processes.children import ChildDiedError, interrupts
from ringscope.cli.processes.stack import Stack, StackOptions, default_slots, running_stack
from ringscope.cli.unused_options import refuse_unused
from ringscope.contracts.words.command_line import typed

Port = Annotated[
    int,
    typer.Option(envvar="RINGSCOPE_PORT", min=0, max=65535, help="API and web page; 0 takes any free one."),
]
MetricsPort = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=65535,
        help="The agent's exporter for Prometheus; 0 takes any free one. Default: 9465, or a free one if it is taken.",
    ),
]
Scripts = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Folder of Python files that jobs of kind script may run; default: none."),
]
AllowEnv = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATTERN",
        help="Environment variables that jobs may set, such as NCCL_*, repeatable; the word default stands for the "
        "usual ones.",
    ),
]
NcclRas = Annotated[
    str,
    typer.Option(
        metavar="HOST:PORT",
        help="NCCL's RAS that each agent asks for the state of the jobs on its node, such as localhost:28028; "
        "default: none.",
    ),
]
Host = Annotated[str, typer.Option(envvar="RINGSCOPE_HOST", help="Address that the server listens on.")]


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command()(up)


def up(
    context: typer.Context,
    port: Port = 8000,
    slots: Annotated[
        int | None, typer.Option(min=1, max=4096, help="Slots of the node; default: one per physical core.")
    ] = None,
    metrics_port: MetricsPort = None,
    host: Host = "127.0.0.1",
    prometheus: Annotated[
        bool, typer.Option("--prometheus", help="Also a Prometheus with the rules of deploy/prometheus.")
    ] = False,
    prometheus_port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of --prometheus on 127.0.0.1; 0 takes any free one.")
    ] = 9090,
    scripts: Scripts = None,
    allow_env: AllowEnv = None,
    nccl_ras: NcclRas = "",
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Run the server and one agent on this machine until Ctrl-C."""
    if not prometheus:
        refuse_unused(context, {"--prometheus-port": "no Prometheus is started; add --prometheus, or leave it out."})
    wanted_port = prometheus_port if prometheus else None
    ports = (metrics_port, wanted_port)
    options = StackOptions(
        data_dir, host, port, slots or default_slots(), *ports, scripts, tuple(allow_env or ()), nccl_ras
    )
    try:
        with interrupts(), running_stack(options) as stack:
            _welcome(stack, data_dir.expanduser())
            stack.children.watch()
    except KeyboardInterrupt:
        say("Stopped.")
    except ChildDiedError as death:
        complain(str(death))
        raise typer.Exit(EXIT_FAILED) from None


def _welcome(stack: Stack, data_dir: Path) -> None:
    is_usual = data_dir == DEFAULT_DATA_DIR.expanduser()
    command = typed(command_name(), {} if is_usual else {"RINGSCOPE_DATA_DIR": data_dir})
    say(f"Ringscope runs at {stack.client.url} (node {stack.node}, {stack.slots} slots, pid {os.getpid()})")
    say(f"  log in once   {stack.client.login_link().url}")
    say(f"  submit        {command} submit --ranks {min(4, stack.slots)} --wait")
    if stack.prometheus is not None:
        say(f"  Prometheus    {stack.prometheus.url}")
    say(f"  data          {data_dir}")
    say("Ctrl-C stops everything.")
