"""Text about training: epochs as a table and as they end, and the job's figures in a sentence."""

from collections.abc import Iterable, Iterator

from rich.table import Table

from ringscope.cli.activity import loading_of
from ringscope.cli.console import complain
from ringscope.cli.formatting import table
from ringscope.cli.progress import describe
from ringscope.client import Client, Epoch, Job, Summary

HEADINGS = ("EPOCH", "STEP", "LOSS", "VAL LOSS", "ACCURACY", "SAMPLES/S", "SECONDS", "ATTEMPT")


def epochs_table(epochs: Iterable[Epoch]) -> Table:
    """Return one row for each epoch; the seconds are the time of its steps."""
    return table(HEADINGS, map(_row, epochs))


def figures(job: Job) -> str:
    """Return the results in one sentence; empty if there are none yet.

    A benchmark gets its verdict here once it has succeeded: a verdict on the first few small sizes would mislead.
    """
    summary = job.summary
    if summary.verdict or not summary.steps_done:
        return summary.verdict if job.state == "succeeded" else ""
    accuracy, reached = summary.validation_accuracy, summary.seconds_to_target
    facts = [
        f"loss {_number(summary.loss)}" if summary.loss is not None or summary.is_diverged else "",
        f"accuracy {accuracy:.1%}" if accuracy is not None else "",
        f"{summary.samples_per_second:,.0f} samples/s" if summary.samples_per_second else "",
        _waiting(summary),
        f"target reached after {reached:.1f} s" if reached is not None else "",
        f"{summary.scaling_efficiency:.0%} of linear scaling" if summary.scaling_efficiency is not None else "",
    ]
    return ", ".join(filter(None, facts))


def show_epochs(client: Client, jobs: Iterable[Job]) -> Job:
    """Print to stderr the job's state, what it loads, and each epoch, as they change; return the last job."""
    reader, loading = EpochReader(client), loading_of(client)
    shown = ""
    for job in jobs:
        stands = ", ".join(filter(None, (describe(job), loading(job))))
        if stands != shown and not job.is_finished:
            complain(stands)
            shown = stands
        for epoch in reader.fresh(job):
            complain(_line(epoch, job))
    return job


class EpochReader:
    """Reads a job's new epochs."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._cursor: str | None = None
        self._last_id = -1
        self._steps_done = -1

    def fresh(self, job: Job) -> Iterator[Epoch]:
        """Return epochs that were not read before; send no request while the job makes no progress."""
        if job.summary.steps_done == self._steps_done:
            return
        self._steps_done = job.summary.steps_done
        while True:
            page = self._client.epochs_after(job.id, self._cursor)
            for epoch in page.items:
                if epoch.id > self._last_id:
                    self._last_id = epoch.id
                    yield epoch
            if page.next is None:
                return
            self._cursor = page.next


def _row(epoch: Epoch) -> tuple[object, ...]:
    accuracy = None if epoch.validation_accuracy is None else f"{epoch.validation_accuracy:.2%}"
    return (
        epoch.epoch,
        epoch.step,
        _number(epoch.training_loss),
        _number(epoch.validation_loss) if epoch.validation_accuracy is not None else None,
        accuracy,
        _rate(epoch),
        f"{epoch.duration_us * 1e-6:.2f}",
        epoch.attempt,
    )


def _line(epoch: Epoch, job: Job) -> str:
    of = f" of {job.spec.training.epochs}" if job.spec.training else ""
    accuracy = "" if epoch.validation_accuracy is None else f", accuracy {epoch.validation_accuracy:.1%}"
    return f"epoch {epoch.epoch}{of}: loss {_number(epoch.training_loss)}{accuracy}, {_rate(epoch)} samples/s"


def _rate(epoch: Epoch) -> str:
    rate = epoch.samples_per_second
    return "" if rate is None else f"{rate:,.0f}"


def _waiting(summary: Summary) -> str:
    waits = {"sums": summary.exposed_communication_seconds, "samples": summary.input_seconds}
    whole = summary.step_seconds
    shares = [f"{seconds / whole:.1%} for {what}" for what, seconds in waits.items() if whole and seconds is not None]
    return f"waiting in steps: {' and '.join(shares)}" if shares else ""


def _number(loss: float | None) -> str:
    """Format a loss; None means that it was not finite."""
    return "diverged" if loss is None else f"{loss:.4f}"
