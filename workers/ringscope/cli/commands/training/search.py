"""`ringscope search-strategies`: which strategy trains a model fastest on these ranks."""

import json
import re
from collections.abc import Iterator
from typing import Annotated, get_args

import typer

from ringscope.cli.commands.training.train import dataset_fields, model_field
from ringscope.cli.connection import Url, as_typed, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, EXIT_INTERRUPTED, DataDir, complain, say, say_json
from ringscope.cli.dry_run import say_plan
from ringscope.cli.follow import follow
from ringscope.cli.job_body import job_body, patch_of
from ringscope.cli.option_groups import unfolded
from ringscope.cli.outcome import exit_code
from ringscope.cli.progress import describe
from ringscope.cli.results.search_table import print_candidates
from ringscope.cli.submission import JobOptions
from ringscope.client import Client, Job, Search
from ringscope.contracts.errors import UserError
from ringscope.contracts.merge_patch import merge_patch
from ringscope.contracts.training import DatasetName, ModelName

_BUDGET = re.compile(r"([0-9]{1,7})(s|m|h|)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("search-strategies")(unfolded(search_strategies))


def search_strategies(
    model: Annotated[str, typer.Argument(help=f"{', '.join(get_args(ModelName))}, or FILE.py:FUNCTION.")],
    dataset: Annotated[
        str | None, typer.Option(help=f"{', '.join(get_args(DatasetName)[:-1])}, or FILE.py:FUNCTION; default: digits.")
    ] = None,
    data_path: Annotated[str | None, typer.Option(help="Folder of cifar10 or text, on every node.")] = None,
    ranks: Annotated[int | None, typer.Option(help="Processes in the gang; at least 2.")] = None,
    strategies: Annotated[
        str | None,
        typer.Option(
            help="Candidates, separated by commas: mirrored-ring,torch_ddp; a strategy stands for all of its "
            "candidates; default: all."
        ),
    ] = None,
    target_accuracy: Annotated[
        float | None,
        typer.Option(help="Accuracy to which the fastest train at last, 0 to 1; the first one there wins."),
    ] = None,
    budget: Annotated[str | None, typer.Option(help="How long the runs may take: 90s, 5m, 1h; default: 5m.")] = None,
    batch_size: Annotated[int | None, typer.Option(help="Samples in a step, over all ranks.")] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FIELD=VALUE", help="Any other field: strategy_search.optimizer=adam."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Submit nothing; say when it would start and which candidates would run.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print job, winner, sentence and candidates as JSON.")
    ] = False,
    options: JobOptions = JobOptions(),
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Search the fastest strategy for a model, by short runs of the candidates in turns on the same ranks.

    It waits until the search ends. The exit code is the job's outcome: 0 succeeded, 1 failed, 3 cancelled; 2 is bad
    input, or a server that does not answer. "No clear winner" is a success.
    """
    search = "strategy_search"
    flags = options.flags() | {
        ("kind",): search,
        (search, "model"): model_field(model),
        **dataset_fields(dataset, (search, "dataset")),
        (search, "dataset", "path"): data_path,
        (search, "strategies"): strategies.split(",") if strategies else None,
        (search, "target_accuracy"): target_accuracy,
        (search, "budget_seconds"): budget_seconds(budget),
        (search, "global_batch_size"): batch_size,
        ("placement", "ranks"): ranks,
    }
    body = merge_patch(job_body({}, flags), patch_of(assignments))
    with connect(url, data_dir) as client:
        if dry_run:
            say_plan(client, body, as_json)
            return
        job = _watched(client, client.submit(body))
        found = client.search(job.id)
        if as_json:
            say_json(json.dumps(_as_json(job, found), indent=2))
        else:
            _print(client, job, found)
        raise typer.Exit(exit_code(job))


def budget_seconds(text: str | None, option: str = "--budget") -> int | None:
    """Return the seconds of a duration; UserError that names the option if it is none."""
    if text is None:
        return None
    match = _BUDGET.fullmatch(text)
    if match is None:
        raise UserError(f"{option}: {text!r} is not a duration; write for example 90s, 5m or 1h.")
    return int(match[1]) * _SECONDS[match[2]]


def _watched(client: Client, job: Job) -> Job:
    """Print to stderr what happens until the job has ended; return its last state."""
    shown: set[str] = set()
    try:
        for seen in follow(client, job.id):
            job = seen
            lines = [] if job.is_finished else [describe(job)]
            if job.state in ("running", "stopping"):
                lines += _news(client.search(job.id))
            for line in lines:
                if line not in shown:
                    complain(line)
                    shown.add(line)
    except KeyboardInterrupt:
        complain(as_typed(f"Job {job.id} continues; `ringscope cancel {job.id}` stops it.", client.url))
        raise typer.Exit(EXIT_INTERRUPTED) from None
    return job


def _news(found: Search) -> Iterator[str]:
    """Describe the run that goes on, and candidates that left."""
    if found.running is not None:
        epochs = found.running.epochs
        turn = f"round {found.running.round + 1}" if epochs is None else f"{epochs} epochs to the target"
        yield f"{turn}: {found.running.name} runs"
    for line in found.candidates:
        if line.state in ("slower", "failed"):
            yield f"{line.name} left after round {(line.round or 0) + 1}. {line.reason}"


def _as_json(job: Job, found: Search) -> dict[str, object]:
    candidates = [line.model_dump(mode="json") for line in found.candidates]
    sentence = found.sentence if job.state == "succeeded" else job.message
    winner = found.winner if job.state == "succeeded" else None
    return {"job": job.id, "winner": winner, "sentence": sentence, "candidates": candidates}


def _print(client: Client, job: Job, found: Search) -> None:
    print_candidates(found)
    say(found.sentence if job.state == "succeeded" else describe(job))
    say(f"{client.page_url}/jobs/{job.id}")
