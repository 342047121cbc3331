"""`ringscope run`: a Python script on several ranks of this machine, without a server."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from ringscope.cli.commands.bench import validated
from ringscope.cli.console import EXIT_FAILED, EXIT_INTERRUPTED, complain
from ringscope.cli.job_body import variables
from ringscope.cli.processes.children import interrupts
from ringscope.cli.submission import EnvOption
from ringscope.contracts.errors import UserError
from ringscope.contracts.job import JobSpec
from ringscope.contracts.record import Log
from ringscope.engine.cores import own_cores
from ringscope.rank.local import Run, run_local

# What follows the script belongs to it, also where it looks like an option of this command.
_OF_SCRIPT = {"allow_interspersed_args": False, "ignore_unknown_options": False}


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command(context_settings=_OF_SCRIPT)(run)


def run(
    script: Annotated[str, typer.Argument(metavar="SCRIPT", help="A Python file, or with -m a module.")],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="ARGS...", help="Arguments of the script.")] = None,
    ranks: Annotated[int | None, typer.Option(min=1, max=4096, help="Ranks; default: one per physical core.")] = None,
    module: Annotated[bool, typer.Option("-m", help="SCRIPT is a module of this folder, as for python -m.")] = False,
    env: EnvOption = None,
    no_watch: Annotated[
        bool, typer.Option("--no-watch", help="Do not watch the steps and collectives of PyTorch; print no summary.")
    ] = False,
) -> None:
    """Run a script on several ranks of this machine, as torchrun and mpiexec do, without a server.

    Scripts for torchrun, mpi4py, Accelerate and Lightning run unchanged. Give options of this command before SCRIPT.
    The steps and collectives of a script that uses PyTorch are summed up at its end, on standard error.
    The exit code is 1 if a rank failed, and 2 for bad input.
    """
    root, fields = _module(script) if module else _file(script)
    fields |= {"arguments": arguments or [], "no_watch": no_watch}
    asked = {"kind": "script", "script": fields, "env": variables(env, os.environ) or {}}
    job = validated(asked | {"placement": {"ranks": ranks or own_cores().at_once}})
    found, summary = Run(), list[str]()
    try:
        with interrupts():
            _wait(job, found, root, summary)
    except KeyboardInterrupt:
        complain("Stopped.")
        raise typer.Exit(EXIT_INTERRUPTED) from None
    for line in summary:
        complain(line)
    if found.reason:
        complain(found.reason)
    raise typer.Exit(EXIT_FAILED if found.reason else 0)


def _wait(job: JobSpec, found: Run, root: Path, summary: list[str]) -> None:
    for record in run_local(job, found, scripts=root, echo=_show):
        if isinstance(record, Log) and record.stream == "agent":
            summary.append(record.text)


def _show(lines: bytes) -> None:
    sys.stdout.buffer.write(lines)
    sys.stdout.buffer.flush()


def _file(script: str) -> tuple[Path, dict[str, object]]:
    """Return the folder that holds this folder and the script, and the fields of the script; UserError if there is no
    such file.
    """
    path, here = Path(script).resolve(), Path.cwd()
    if not path.is_file():
        raise UserError(f"SCRIPT: there is no file {script} here; name a Python file.")
    root = Path(os.path.commonpath([path.parent, here]))
    return root, {"file": str(path.relative_to(root)), "folder": str(here.relative_to(root))}


def _module(name: str) -> tuple[Path, dict[str, object]]:
    """Return this folder and the fields of a module in it; UserError if there is no such module."""
    here = Path.cwd()
    stem = name.replace(".", "/")
    for file in (f"{stem}.py", f"{stem}/__main__.py"):
        if (here / file).is_file():
            return here, {"file": file, "as_module": True}
    raise UserError(f"SCRIPT: this folder has no module {name}; name one of its files or packages, such as pkg.train.")
