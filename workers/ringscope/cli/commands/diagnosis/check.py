"""`ringscope check`: whether a machine or nodes are fine before anything runs on them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ringscope.cli.checks.here import check_here, default_file, make_baseline
from ringscope.cli.checks.outcome import EXIT_UNKNOWN, CheckCommand, Outcome, show
from ringscope.cli.commands.training.search import budget_seconds
from ringscope.cli.connection import Url, as_typed
from ringscope.cli.console import DEFAULT_DATA_DIR, EXIT_INTERRUPTED, DataDir, complain
from ringscope.cli.processes.children import interrupts
from ringscope.contracts.errors import UserError

_FEWEST_SECONDS, _MOST_SECONDS = 2, 3600
_USUAL, _USUAL_BASELINE = "10s", "60s"


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command(cls=CheckCommand)(check)


def check(
    nodes: Annotated[
        str | None,
        typer.Option(help="Names of nodes, separated by commas; default: all that take jobs.", metavar="A,B,C"),
    ] = None,
    here: Annotated[bool, typer.Option("--here", help="Check this machine alone, without a server.")] = False,
    duration: Annotated[
        str | None, typer.Option("--for", help="How long it may measure: 10s, 2m; default: 10s, a baseline 60s.")
    ] = None,
    baseline: Annotated[
        bool, typer.Option("--baseline", help="Measure this machine and keep that as its baseline.")
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep a baseline also if other programs disturbed it.")] = False,
    baseline_file: Annotated[
        Path | None, typer.Option("--baseline-file", help="The baseline; default: a file in the user's state folder.")
    ] = None,
    now: Annotated[bool, typer.Option("--now", help="Refuse instead of waiting while a node is busy.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    junit_file: Annotated[Path | None, typer.Option("--junit", help="Write the result as JUnit XML for CI.")] = None,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Check whether this machine, or nodes of a server, are as fast as they were, and compute right results.

    --here measures memory bandwidth, an all-reduce among ranks of this machine and the links of its network cards, and
    compares them with the baseline that --baseline made. --nodes runs an all-reduce and measures the links of nodes.

    The exit code is 0 if all is fine, 1 if something is low, 2 if a result is wrong, and 3 if it could not be judged,
    also for bad input.
    """
    try:
        seconds = _seconds(duration or (_USUAL_BASELINE if baseline else _USUAL))
        _refuse_unused(nodes, here, baseline, keep, baseline_file, now)
        with interrupts():
            if here:
                file = baseline_file or default_file()
                outcome = make_baseline(seconds, file, keep) if baseline else check_here(seconds, file)
            else:
                outcome = _through_server(nodes, seconds, now, url, data_dir)
        show(outcome, as_json, junit_file)
    except UserError as error:
        for sentence in error.sentences:
            complain(as_typed(sentence))
        raise typer.Exit(EXIT_UNKNOWN) from None
    except KeyboardInterrupt:
        complain("Stopped.")
        raise typer.Exit(EXIT_INTERRUPTED) from None
    except typer.Exit:
        raise
    except Exception as error:  # else Python's exit code 1 would say that the machine is low
        complain(f"The check itself failed: {type(error).__name__}: {error}.")
        raise typer.Exit(EXIT_UNKNOWN) from None
    raise typer.Exit(outcome.exit_code)


def _through_server(nodes: str | None, seconds: int, now: bool, url: str | None, data_dir: Path) -> Outcome:
    from ringscope.cli.checks.nodes import check_nodes
    from ringscope.cli.commands.diagnosis.diagnose import chosen_nodes, job_on
    from ringscope.cli.connection import connect
    from ringscope.client import Job, Node

    with connect(url, data_dir) as client:

        def run(on: Sequence[Node], body: dict[str, Any]) -> Job:
            return job_on(client, on, body, now)

        return check_nodes(client, chosen_nodes(client, nodes), seconds, run)


def _seconds(text: str) -> int:
    seconds = budget_seconds(text, "--for") or 0
    if not _FEWEST_SECONDS <= seconds <= _MOST_SECONDS:
        raise UserError(f"--for: {text} is not within 2s and 1h; give for example 10s.")
    return seconds


def _refuse_unused(
    nodes: str | None, here: bool, baseline: bool, keep: bool, baseline_file: Path | None, now: bool
) -> None:
    if here and nodes is not None:
        raise UserError("--here, --nodes: one checks this machine, the other nodes of a server; leave out one of them.")
    if here and now:
        raise UserError("--now: this machine is measured at once; leave it out, or name nodes with --nodes.")
    if not here:
        given = {"--baseline": baseline, "--baseline-file": baseline_file is not None}
        if (option := next((name for name, is_given in given.items() if is_given), None)) is not None:
            raise UserError(
                f"{option}: nodes are compared with their earlier measurements; add --here, or leave it out."
            )
    if keep and not baseline:
        raise UserError("--keep: it keeps a disturbed baseline; add --baseline, or leave it out.")
