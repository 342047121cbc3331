"""Options that `submit` and `train` share: the job's name, place and queue, and what follows the submission."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from ringscope.cli.connection import Url, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, DataDir
from ringscope.cli.dry_run import say_plan
from ringscope.cli.job_body import pairs, variables
from ringscope.cli.outcome import AsJson, Follow, Wait, report
from ringscope.cli.unused_options import NOTHING_TO_WAIT_FOR, refuse_unused

EnvOption = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        metavar="NAME[=VALUE]",
        help="Environment variable of the ranks, repeatable; without a value, the one in this command's environment.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class JobOptions:
    """Options of a job of any kind; None: not given."""

    name: Annotated[str | None, typer.Option(help="A name to find it by.")] = None
    nodes: Annotated[int | None, typer.Option(help="Exactly this many nodes.")] = None
    node: Annotated[
        list[str] | None, typer.Option(help="Name of a node, repeatable; the job runs on all of them and no others.")
    ] = None
    selector: Annotated[list[str] | None, typer.Option(help="Node label key=value, repeatable.")] = None
    priority: Annotated[int | None, typer.Option(help="0 to 100, higher first.")] = None
    time_limit: Annotated[int | None, typer.Option(help="Seconds until the job is stopped.")] = None
    label: Annotated[list[str] | None, typer.Option(help="key=value, repeatable.")] = None
    env: EnvOption = None

    def flags(self) -> dict[tuple[str, ...], Any]:
        """Return each option's value by the path of its field in ``JobSpec``; None if it was not given."""
        return {
            ("name",): self.name,
            ("placement", "nodes"): self.nodes,
            ("placement", "node_names"): self.node,
            ("placement", "selector"): pairs("--selector", self.selector),
            ("priority",): self.priority,
            ("time_limit_seconds",): self.time_limit,
            ("labels",): pairs("--label", self.label),
            **{("env", name): value for name, value in (variables(self.env, os.environ) or {}).items()},
        }


@dataclass(frozen=True, kw_only=True)
class Submission:
    """Options for sending the job to a server."""

    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Submit nothing; say when it would start and what it would delay.")
    ] = False
    wait: Wait = False
    follow_log: Follow = False
    as_json: AsJson = False
    url: Url = None
    data_dir: DataDir = DEFAULT_DATA_DIR

    def send(self, context: typer.Context, body: Mapping[str, Any]) -> None:
        """Submit the job and report it, or with ``dry_run`` say what would happen; typer.Exit with the exit code."""
        if self.dry_run:
            refuse_unused(context, NOTHING_TO_WAIT_FOR)
        with connect(self.url, self.data_dir) as client:
            if not self.dry_run:
                code = report(client, client.submit(body), self.wait, self.follow_log, self.as_json)
                raise typer.Exit(code)
            say_plan(client, body, self.as_json)
