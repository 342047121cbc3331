"""`ringscope nccl-log` reads logs of NCCL_DEBUG=INFO: rings, trees, transports, and what matters about them."""

import json
from typing import Annotated

import typer

from ringscope.cli.console import EXIT_FAILED, say, say_json
from ringscope.cli.results.files import content_of
from ringscope.contracts.errors import UserError
from ringscope.contracts.words.units import plural
from ringscope.imports.lines import NotTextError
from ringscope.nccl_log.document import document
from ringscope.nccl_log.reading import read
from ringscope.nccl_log.remarks import remarks
from ringscope.nccl_log.sentences import answer, description, overview

_MOST_COMMUNICATORS = 4
_NO_FINDING = ("incomplete", "warnings")


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("nccl-log")(nccl_log)


def nccl_log(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="The logs of one job, or - for standard input.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Read logs of NCCL_DEBUG=INFO, and say which transports NCCL uses between which ranks, and what is slow about it.

    It reads NCCL 2.4 to 2.28 behind any prefix: srun -l, mpirun --tag-output, Kubernetes, Ray. What it says is about
    the lines that are printed; what the log does not show, it names. The exit code is 1 if it remarks on sockets,
    shared memory, GPUDirect RDMA, unused cards or versions that differ, and 0 otherwise.
    """
    try:
        log = read(content_of(path) for path in files)
    except NotTextError as error:
        raise UserError(f"{', '.join(files)}: {error}") from None
    if not log.lines and not log.versions:
        raise UserError(
            f"{', '.join(files)}: no line is of NCCL; set NCCL_DEBUG=INFO and give the output of all ranks."
        )
    told = remarks(log)
    if as_json:
        say_json(json.dumps(document(log), indent=2))
    else:
        first = answer(log)
        say(first)
        for remark in told:
            if remark.sentence != first:
                say(remark.sentence)
        say()
        say(overview(log))
        for one in log.communicators[:_MOST_COMMUNICATORS]:
            for line in description(one):
                say(line)
        rest = len(log.communicators) - _MOST_COMMUNICATORS
        if rest > 0:
            say(f"{plural(rest, 'smaller communicator')} more; --json has all.")
    if any(remark.kind not in _NO_FINDING for remark in told):
        raise typer.Exit(EXIT_FAILED)
