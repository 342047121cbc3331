"""The `ringscope` command: it loads only the module of the command that is needed."""

import errno
import os
import select
import sys
from importlib import import_module, metadata
from typing import Annotated

import typer
from typer.models import CommandInfo, TyperInfo

from ringscope.cli.console import EXIT_BAD_INPUT, EXIT_FAILED, EXIT_READER_GONE, complain, make_writable, say
from ringscope.cli.sections import SectionedGroup
from ringscope.contracts.errors import UserError

# The help's sections, with the commands that each module registers.
SECTIONS = {
    "Start": {"up": ["up"], "demo": ["demo"], "roles": ["server", "agent"], "login": ["login"]},
    "Without a server": {
        "bench": ["bench"],
        "training.run": ["run"],
        "tune": ["tune"],
        "plan": ["plan"],
        "trace": ["trace"],
        "fit": ["fit"],
        "diagnosis.check": ["check"],
    },
    "Results of other tools": {"imports": ["import", "expected"]},
    "Other people's jobs": {
        "others.hang": ["hang"],
        "others.nccl_log": ["nccl-log"],
        "others.nccl_state": ["nccl-inspector", "nccl-ras"],
    },
    "Jobs": {
        "submit": ["submit"],
        "training.train": ["train"],
        "training.search": ["search-strategies"],
        "jobs": ["jobs", "show", "logs", "steps"],
        "why": ["why"],
        "insights": ["insights"],
        "job_changes": ["cancel", "hold", "release", "priority", "label", "note", "retry", "clone", "adopt"],
        "diff": ["diff", "regressions"],
        "report": ["report"],
    },
    "Nodes": {
        "nodes": ["nodes", "node", "drain", "resume", "label-node", "release-slot", "remove-node"],
        "diagnosis.diagnose": ["links", "diagnose"],
        "monitoring": ["monitoring", "targets"],
        "lab": ["lab"],
        "slurm": ["slurm"],
    },
    "Schedules, webhooks, accounts": {
        "schedules": ["schedules", "schedule"],
        "webhooks": ["webhooks", "webhook"],
        "tokens": ["tokens", "token"],
        "events": ["events"],
    },
}

# A full disk or quota, a file size limit, a broken device, a terminal that is gone.
_OUTPUT_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EPIPE, errno.EBADF)


def build(command: str | None = None) -> typer.Typer:
    """Return all commands, or those of the module that has ``command``: loading all takes twice as long."""
    app = typer.Typer(
        cls=SectionedGroup,
        help="Schedule all-reduce benchmarks and training on worker nodes, measure every step, see it live.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_whole)
    known = {name for modules in SECTIONS.values() for names in modules.values() for name in names}
    for title, modules in SECTIONS.items():
        for module, names in modules.items():
            if command in names or command not in known:
                import_module(f"ringscope.cli.commands.{module}").register(app)
        added: tuple[CommandInfo | TyperInfo, ...] = (*app.registered_commands, *app.registered_groups)
        for entry in added:
            if not isinstance(entry.rich_help_panel, str):  # the commands of earlier sections have their panels
                entry.rich_help_panel = title
    return app


def main() -> None:
    """Run the command line; errors that the user can fix are printed in one line each, with exit code 2."""
    make_writable()
    try:
        try:
            build(next(iter(sys.argv[1:]), None))()
        finally:
            sys.stdout.flush()  # flush now, because an error of a full disk could not be reported later
    except UserError as error:
        from ringscope.cli.connection import as_typed  # loads the client, which not every command needs

        for sentence in error.sentences:
            complain(as_typed(sentence))
        sys.exit(EXIT_BAD_INPUT)
    except SystemExit as end:
        if end.code and _is_reader_gone():
            _drop_output()
            sys.exit(EXIT_READER_GONE)
        raise
    except OSError as error:
        if error.errno not in _OUTPUT_ERRORS:
            raise
        _drop_output()
        if error.errno == errno.EPIPE:
            sys.exit(EXIT_READER_GONE)
        complain(f"The output cannot be written ({error.strerror}); make room, or write it elsewhere.")
        sys.exit(EXIT_FAILED)


def _is_reader_gone() -> bool:
    """Return whether the other end of a pipe on stdout, such as ``head``, has ended."""
    poll = select.poll()
    try:
        poll.register(sys.stdout.fileno(), 0)
    except (OSError, ValueError):
        return False
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _drop_output() -> None:
    """Redirect stdout to /dev/null: flushing the rest of the output at exit would fail once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell_version(is_asked: bool) -> None:
    if is_asked:
        say(f"ringscope {metadata.version('ringscope')}")
        raise typer.Exit


def _whole(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_tell_version, help="Print it and exit.")
    ] = False,
) -> None: ...
