"""`ringscope check --nodes`: a checked all-reduce over nodes of a server, and their links against their baselines."""

from collections.abc import Callable, Sequence
from typing import Any

from ringscope.cli.checks.outcome import Outcome
from ringscope.cli.formatting import when
from ringscope.cli.progress import describe
from ringscope.cli.results.link_matrix import listed
from ringscope.client import Client, Diagnosis, Job, Node
from ringscope.client.views.diagnoses import Baseline, Pair, WayRate
from ringscope.contracts.diagnosis.earlier import FEWEST_MEASUREMENTS
from ringscope.contracts.errors import UserError
from ringscope.preflight.intervals import Interval
from ringscope.preflight.judgement import FINE, LOW, UNKNOWN, WRONG, Finding, compared

ALL_REDUCE, LINKS = "all-reduce", "links"
_ALL_REDUCE_BYTES = 1 << 20
_FEWEST_PEERS = 3  # two nodes have only each other to compare with
# runs a job on nodes to its end
Runner = Callable[[Sequence[Node], dict[str, Any]], Job]


def check_nodes(client: Client, nodes: Sequence[Node], seconds: int, run: Runner) -> Outcome:
    """Run an all-reduce whose results are checked, then measure the links of the ring, and judge both."""
    subject = listed([node.name for node in nodes]) if nodes else "no node"
    if len(nodes) < 2:
        raise UserError(
            f"--nodes: two nodes at least have a link between them, and here is {subject}; "
            "`ringscope check --here` checks one machine."
        )
    lost = [node for node in nodes if not node.is_up]
    up = [node for node in nodes if node.is_up]
    gone = [Finding(node.name, LOW, f"{node.name}: {node.observed_reason or 'the node is lost'}") for node in lost]
    if len(up) < 2:
        told = f"{LINKS}: fewer than two of these nodes are up."
        return Outcome(subject, [*gone, Finding(LINKS, UNKNOWN, told)])
    names = [node.name for node in up]
    reduction = run(up, _all_reduce(names))
    findings = [*gone, _of_all_reduce(reduction)]
    job = run(up, {"kind": "diagnosis", "diagnosis": {"budget_seconds": seconds}, "placement": {"node_names": names}})
    findings += of_diagnosis(job, client.diagnosis(job.id), client.diagnosis_baselines(job.id))
    return Outcome(subject, findings, [f"Jobs {reduction.id} and {job.id}: {client.page_url}/jobs/{job.id}"])


def _all_reduce(names: Sequence[str]) -> dict[str, Any]:
    sweep = {"algorithms": ["ring"], "min_bytes": _ALL_REDUCE_BYTES, "max_bytes": _ALL_REDUCE_BYTES, "device": "cpu"}
    placement = {"node_names": list(names), "ranks": len(names), "ranks_per_node": 1}
    return {"kind": "benchmark", "benchmark": sweep, "placement": placement, "max_attempts": 1}


def _of_all_reduce(job: Job) -> Finding:
    """Return whether every element was right; its time is not judged, as the links are."""
    if job.reason == "verification_failed":
        return Finding(ALL_REDUCE, WRONG, f"{ALL_REDUCE}: {describe(job)}")
    if job.state != "succeeded":
        return Finding(ALL_REDUCE, UNKNOWN, f"{ALL_REDUCE}: {describe(job)}")
    return Finding(ALL_REDUCE, FINE, f"{ALL_REDUCE}: every element is right.")


def of_diagnosis(job: Job, found: Diagnosis, baselines: Sequence[Baseline]) -> list[Finding]:
    """Return what the diagnosis blames, and each direction that is below its baseline; else one finding for all links.

    Pairs that loaded a boundary together are not compared, because they share what a single pair has for itself.
    """
    findings = [Finding(" and ".join(blamed.names), LOW, blamed.sentence, measured=None) for blamed in found.blamed]
    pairs = [pair for pair in found.pairs if pair.ending == "measured" and not pair.is_loaded]
    newest = {way: rate for pair in pairs for way, rate in _ways(pair)}
    known = {(one.source, one.destination): one for one in baselines}
    held = {way: known[way] for way in sorted(newest) if way in known}
    findings += [one for way, baseline in held.items() if (one := _of_way(newest[way], baseline)).word != FINE]
    if any(one.word == LOW for one in findings):
        return findings
    if job.state != "succeeded":
        return [*findings, Finding(LINKS, UNKNOWN, f"{LINKS}: {describe(job)}")]
    if not found.decided:
        return [*findings, Finding(LINKS, UNKNOWN, f"{LINKS}: {found.sentence}")]
    if not newest:
        return [*findings, Finding(LINKS, UNKNOWN, f"{LINKS}: no pair of nodes was measured.")]
    if len({node for way in newest for node in way}) < _FEWEST_PEERS and len(held) < len(newest):
        told = (
            f"{LINKS}: two nodes have only each other, and the baseline of a link needs {FEWEST_MEASUREMENTS} earlier "
            "measurements; run it again until they are there."
        )
        return [*findings, Finding(LINKS, UNKNOWN, told)]
    return [*findings, Finding(LINKS, FINE, f"{LINKS}: {_fine(len(newest), list(held.values()))}")]


def _fine(measured: int, held: Sequence[Baseline]) -> str:
    """Return with what the directions were compared that are all fine."""
    if not held:
        return f"fine beside each other; no direction has {FEWEST_MEASUREMENTS} earlier measurements for a baseline."
    counts = sorted({one.measurements for one in held})
    of_each = " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
    since = min((one.since for one in held if one.since is not None), default=None)
    begun = f" since {when(since)}" if since else ""
    return (
        f"fine; {len(held)} of {measured} directions were compared with their baselines, each of {of_each} "
        f"measurements{begun}."
    )


def _of_way(rate: WayRate, baseline: Baseline) -> Finding:
    since = f" since {when(baseline.since)}" if baseline.since else ""
    source = f"{baseline.measurements} measurements{since}"
    expected = Interval(baseline.low / 1e9, baseline.high / 1e9)
    name = f"{baseline.source} to {baseline.destination}"
    return compared(name, Interval(rate.low / 1e9, rate.high / 1e9), expected, source=source)


def _ways(pair: Pair) -> list[tuple[tuple[str, str], WayRate]]:
    """Return the measured directions of a pair as (source, destination), with their rates."""
    first, second = pair.nodes
    ways = (((first, second), pair.there), ((second, first), pair.back))
    return [(way, rate) for way, rate in ways if rate is not None]
