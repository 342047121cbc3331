"""`ringscope monitoring` and `ringscope targets`: the files that Prometheus and Grafana need."""

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ringscope.cli.connection import Url, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, EXIT_INTERRUPTED, DataDir, complain, pour, say
from ringscope.cli.formatting import AsJson, Columns, say_list
from ringscope.cli.unused_options import refuse_unused
from ringscope.client import Client, MonitoringFile, TargetGroup
from ringscope.contracts.errors import UserError

_COLUMNS: Columns[MonitoringFile] = {
    "FILE": lambda file: file.name,
    "KIND": lambda file: file.kind,
    "CONTENT": lambda file: file.description,
}


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command()(monitoring)
    app.command()(targets)


def monitoring(
    context: typer.Context,
    file: Annotated[
        str | None, typer.Argument(help="The file to print, such as prometheus.yml; default: list.")
    ] = None,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """List the files that Prometheus and Grafana need, or print one of them."""
    if file is not None:
        refuse_unused(context, {"--json": "FILE is printed as it is; leave one of the two out."})
    with connect(url, data_dir) as client:
        if file is None:
            say_list(client.monitoring_files(), _COLUMNS, as_json, "There is no file.")
            return
        for piece in client.monitoring_file(file):
            pour(piece)


def targets(
    file: Annotated[
        Path | None, typer.Option(help="Write them atomically to this file for file_sd; its name ends in .json.")
    ] = None,
    every: Annotated[
        float | None, typer.Option(min=1, help="Write --file again after this many seconds, until Ctrl-C.")
    ] = None,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Print the agents that Prometheus should scrape, or keep them in a file."""
    if every is not None and file is None:
        raise UserError("--every: there is no file to write; give --file.")
    if file is not None and file.suffix != ".json":
        raise UserError(
            f"--file: {file} does not end in .json, which Prometheus needs to recognise the format; rename it."
        )
    with connect(url, data_dir) as client:
        if file is None:
            say(file_sd(client.targets()))
        elif every is None:
            _write(client, file)
        else:
            _keep(client, file, every)


def file_sd(groups: Sequence[TargetGroup]) -> str:
    """Return the text of a file_sd file."""
    return json.dumps([{"targets": group.targets, "labels": group.labels} for group in groups], indent=2)


def _keep(client: Client, file: Path, seconds: float) -> None:
    """Keep the file up to date; while the server is down it is left unchanged, as with Prometheus' http_sd."""
    try:
        while True:
            try:
                _write(client, file)
            except UserError as error:
                complain(" ".join(error.sentences))
            time.sleep(seconds)
    except KeyboardInterrupt:
        raise typer.Exit(EXIT_INTERRUPTED) from None


def _write(client: Client, file: Path) -> None:
    replace(file, file_sd(client.targets()) + "\n")


def replace(file: Path, text: str) -> None:
    """Replace a file atomically: a reader sees either the old or the new content."""
    # Prometheus' pattern, such as targets/*.json, must not match a half-written file.
    temporary = file.with_name(f".{file.name}.{os.getpid()}.new")
    try:
        try:
            temporary.write_text(text)
            temporary.replace(file)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(
            f"--file: {file} cannot be written ({error.strerror}); name a file in a folder of yours."
        ) from error
