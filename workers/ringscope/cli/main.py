"""The `ringscope` command: every group of commands registers itself here."""

import sys

import typer

from ringscope.cli import bench, demo, fit, jobs, login, plan, roles, submit, trace, tune, up
from ringscope.cli.console import EXIT_BAD_INPUT, complain
from ringscope.errors import UserError

app = typer.Typer(
    help="Schedule all-reduce benchmarks on worker nodes, measure every step, see it live.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for group in (up, demo, bench, tune, plan, trace, fit, roles, submit, jobs, login):
    group.register(app)


def main() -> None:
    """Run the command line; what the user can mend is told in one line each, with exit code 2."""
    try:
        app()
    except UserError as error:
        for sentence in error.sentences:
            complain(sentence)
        sys.exit(EXIT_BAD_INPUT)
