"""The fit itself; it takes processor time, so it runs in a process without tables."""

from collections.abc import Sequence
from functools import lru_cache

from ringscope.contracts.words.collectives import total_elements
from ringscope.cost.effort import message_count
from ringscope.cost.fitting.fit import fit
from ringscope.cost.fitting.fit_document import FitDocument, document
from ringscope.cost.fitting.measured_rows import MeasuredRow, Nodes
from ringscope.cost.fitting.samples import Samples
from ringscope_server.planner.views import JobFit

# Each call is priced again and again until parameters and critical paths agree; with two kinds of links from three
# first guesses. So these are about 10 s of one processor.
MAX_MESSAGES = 60_000
_GUESSES = 5
_KNOWN_FITS = 64


def fitted(job_id: int, samples: Samples, known: Sequence[str] = ()) -> JobFit:
    """Return parameters and residuals, with the known caveats. Raises ValueError with a sentence if the rows do not
    determine them, or are too many.
    """
    nodes = samples.nodes
    if nodes is None:
        raise ValueError(
            f"the ranks of job {job_id} lay unevenly on its nodes; "
            f"run `ringscope fit --job {job_id} --ranks-per-node N`."
        )
    _check_effort(job_id, samples.rows, nodes)
    found = _fitted(samples.rows, nodes, samples.transport)
    return JobFit(
        **dict(found) | {"caveats": list(known)},
        job_id=job_id,
        ranks=max(row.ranks for row in samples.rows),
        row_count=len(found.residuals),
        left_out=list(samples.left_out),
    )


def _check_effort(job_id: int, rows: Sequence[MeasuredRow], nodes: Nodes) -> None:
    calls = {(row.collective, row.algorithm, row.ranks, row.count) for row in rows}
    total = sum(
        message_count(algorithm, ranks, total_elements(collective, count, ranks), 1, collective, nodes.channels)
        for collective, algorithm, ranks, count in calls
    ) * (_GUESSES if nodes.ranks_per_node > 1 else 1)
    if total > MAX_MESSAGES:
        raise ValueError(
            f"the {len(rows):,} rows of job {job_id} would take the server too long to fit; "
            f"run `ringscope fit --job {job_id}` instead."
        )


@lru_cache(maxsize=_KNOWN_FITS)
def _fitted(rows: tuple[MeasuredRow, ...], nodes: Nodes, transport: str) -> FitDocument:
    return document(fit(rows, 4, nodes), transport)
