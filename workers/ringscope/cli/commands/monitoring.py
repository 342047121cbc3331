"""`ringscope monitoring`: the files that Prometheus and Grafana need."""

from typing import Annotated

import typer

from ringscope.cli.connection import Url, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, DataDir, pour
from ringscope.cli.formatting import AsJson, Columns, say_list
from ringscope.cli.unused_options import refuse_unused
from ringscope.client import MonitoringFile

_COLUMNS: Columns[MonitoringFile] = {
    "FILE": lambda file: file.name,
    "KIND": lambda file: file.kind,
    "CONTENT": lambda file: file.description,
}


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command()(monitoring)


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
