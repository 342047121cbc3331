"""`ringscope cancel`, `hold`, `release`, `priority`, `label`, `note`, `retry`, `clone` and `adopt`: actions on jobs."""

import os
from collections.abc import Callable
from functools import partial
from typing import Annotated

import typer

from ringscope.cli.caveats import title
from ringscope.cli.commands.jobs import JobId
from ringscope.cli.connection import Url, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, EXIT_BAD_INPUT, DataDir, complain
from ringscope.cli.formatting import label_words, say_one
from ringscope.cli.job_body import label_changes, patch_of, variables
from ringscope.cli.outcome import AsJson, Follow, Wait, report
from ringscope.cli.progress import describe
from ringscope.cli.submission import EnvOption
from ringscope.client import ApiProblemError, Job
from ringscope.contracts.merge_patch import merge_patch

JobIds = Annotated[list[int], typer.Argument(metavar="ID...", min=1, help="The jobs' numbers.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    for command in (cancel, hold, release, priority, label, note, retry, clone, adopt):
        app.command()(command)


def cancel(job_ids: JobIds, as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Ask the server to stop jobs."""
    with connect(url, data_dir) as client:
        _each(job_ids, client.cancel, partial(_tell, as_json=as_json))


def hold(job_ids: JobIds, as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Keep waiting jobs from starting until they are released."""
    with connect(url, data_dir) as client:
        _each(job_ids, client.hold, partial(_tell, as_json=as_json))


def release(job_ids: JobIds, as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Let held jobs queue."""
    with connect(url, data_dir) as client:
        _each(job_ids, client.release, partial(_tell, as_json=as_json))


def priority(
    job_id: JobId,
    priority: Annotated[int, typer.Argument(metavar="N", help="0 to 100, higher first.")],
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Change a job's priority; a waiting job moves in the queue."""
    with connect(url, data_dir) as client:
        job = client.edit_job(job_id, {"priority": priority})
    say_one(job, f"{describe(job)}; priority {job.priority}", as_json)


def label(
    job_id: JobId,
    words: Annotated[
        list[str], typer.Argument(metavar="KEY=VALUE|KEY-", help="Labels to set (KEY=VALUE) or to remove (KEY-).")
    ],
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Change a job's labels: team=infra sets one, team- removes it."""
    changes = label_changes(words)
    with connect(url, data_dir) as client:
        job = client.job(job_id)
        labels = {key: value for key, value in (job.labels | changes).items() if value is not None}
        # the revision protects a change that another user makes between the two requests
        job = client.edit_job(job_id, {"labels": labels}, job.revision)
    name = f"Job {job.id} {title(job)}".rstrip()
    say_one(job, f"{name}: labels {label_words(job.labels) or 'none'}", as_json)


def adopt(
    job_id: JobId,
    undo: Annotated[bool, typer.Option("--undo", help="Let the job no longer count.")] = False,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Let an imported job count as a good run of this cluster, by which others are judged; it is in the audit."""
    with connect(url, data_dir) as client:
        job = client.disown(job_id) if undo else client.adopt(job_id)
    counts = "does not count as a run of this cluster" if undo else "counts as a good run of this cluster"
    say_one(job, f"{describe(job)}; it {counts}", as_json)


def note(
    job_id: JobId,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The note; an empty text removes it.")],
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Write a note about a job. Its page shows the note, and searches find it."""
    with connect(url, data_dir) as client:
        job = client.edit_job(job_id, {"note": text})
    say_one(job, f"Job {job.id} {title(job)}".rstrip() + f": {job.note or 'no note'}", as_json)


def retry(
    job_ids: JobIds,
    wait: Wait = False,
    follow_log: Follow = False,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Run ended jobs again without changes, each as a new job.

    With --wait or --follow the exit code is the outcome, as for submit; for several jobs the first that is not 0.
    """
    with connect(url, data_dir) as client:
        codes = _each(job_ids, client.retry, lambda job: report(client, job, wait, follow_log, as_json))
    raise typer.Exit(next((code for code in codes if code), 0))


def clone(
    job_id: JobId,
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FIELD=VALUE", help="Such as placement.ranks=8; null removes a field."),
    ] = None,
    env: EnvOption = None,
    wait: Wait = False,
    follow_log: Follow = False,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Run a job again with changes: --set placement.ranks=8 --set benchmark.max_bytes=16M.

    With --wait or --follow the exit code is the outcome, as for submit.
    """
    patch = merge_patch(patch_of(assignments), _environment(env))
    with connect(url, data_dir) as client:
        code = report(client, client.clone(job_id, patch), wait, follow_log, as_json)
    raise typer.Exit(code)


def _environment(env: list[str] | None) -> dict[str, dict[str, str]]:
    found = variables(env, os.environ)
    return {"env": found} if found else {}


def _tell(job: Job, as_json: bool) -> int:
    say_one(job, describe(job), as_json)
    return 0


def _each(job_ids: list[int], change: Callable[[int], Job], tell: Callable[[Job], int]) -> list[int]:
    """Change the jobs one after another and report each; a refusal is reported too, and does not stop the others."""
    codes: list[int] = []
    for job_id in dict.fromkeys(job_ids):
        try:
            codes.append(tell(change(job_id)))
        except ApiProblemError as refusal:
            for sentence in refusal.sentences:
                complain(sentence)
            codes.append(EXIT_BAD_INPUT)
    if EXIT_BAD_INPUT in codes:
        raise typer.Exit(EXIT_BAD_INPUT)
    return codes
