"""Files of other tools, sent to a server that stores them as jobs."""

from collections.abc import Sequence
from pathlib import Path

import typer

from ringscope.cli.connection import connect
from ringscope.cli.console import EXIT_FAILED, say, say_json
from ringscope.cli.results.files import name_of
from ringscope.contracts.words.units import plural
from ringscope.imports.files import Reading
from ringscope.imports.judged import Given

Read = tuple[str, bytes, Reading]  # path, content, and what was read in it


def store(read: Sequence[Read], given: Given, as_json: bool, url: str | None, data_dir: Path) -> None:
    """Store every table of the files as a job, or nothing if a file is refused; print the jobs and judgements."""
    refused = [
        f"{path}: {sentence}"
        for path, _, reading in read
        for sentence in ([reading.refused] if reading.refused else [run.refused for run in reading.runs])
        if sentence
    ]
    if refused:
        for sentence in refused:
            say(f"Refused. {sentence}")
        say("Nothing was stored.")
        raise typer.Exit(EXIT_FAILED)
    stated = {"gpu": given.gpu, "nodes": given.nodes, "collective": given.collective, "ranks": given.ranks}
    if given.cards is not None:
        stated["cards"] = f"{given.cards[0]}x{given.cards[1]:g}G"
    files = [{"name": name_of(path), "content": _text(content)} for path, content, _ in read]
    body = {"files": files, **{name: value for name, value in stated.items() if value is not None}}
    with connect(url, data_dir) as client:
        stored = client.store_imports(body)
    if as_json:
        say_json(stored.model_dump_json(indent=2))
        return
    for file in stored.files:
        what = plural(len(file.jobs), "job")
        say(f"{file.path}: {what}" if file.is_new else f"{file.path}: imported before with the same facts as {what}")
        for one in file.jobs:
            state = "" if one.job.state == "succeeded" else f", {one.job.state}"
            say(f"Job {one.job.id}: {one.job.name}{state}")
            say(f"  {one.judgement.sentence}")


def _text(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    return content.decode("utf-8", errors="replace")
