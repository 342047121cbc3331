"""`ringscope check --nodes`: a checked all-reduce over nodes of a server, and their links against earlier ones."""

from collections.abc import Callable, Sequence
from typing import Any

from ringscope.cli.checks.outcome import Outcome
from ringscope.cli.progress import describe
from ringscope.cli.results.link_matrix import listed
from ringscope.client import Client, Diagnosis, Job, Node
from ringscope.client.views.diagnoses import Pair, WayRate
from ringscope.client.views.nodes import Link
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
    earlier = {tuple(link.nodes): link for link in client.links()}
    names = [node.name for node in up]
    reduction = run(up, _all_reduce(names))
    findings = [*gone, _of_all_reduce(reduction)]
    job = run(up, {"kind": "diagnosis", "diagnosis": {"budget_seconds": seconds}, "placement": {"node_names": names}})
    findings += of_diagnosis(job, client.diagnosis(job.id), earlier, len(up))
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


def of_diagnosis(job: Job, found: Diagnosis, earlier: dict[tuple[str, ...], Link], nodes: int) -> list[Finding]:
    """Return what the diagnosis blames, and each pair that is lower than it was; else one finding for all links."""
    findings = [Finding(" and ".join(blamed.names), LOW, blamed.sentence, measured=None) for blamed in found.blamed]
    newest = {tuple(sorted(pair.nodes)): pair for pair in found.pairs if pair.ending == "measured"}
    known = 0
    for names, pair in sorted(newest.items()):
        link = earlier.get(names)
        if link is None or (link.size_bytes, link.both_ways) != (found.size_bytes, found.both_ways):
            continue
        known += 1
        findings += [one for one in _of_pair(pair, link) if one.word != FINE]
    if any(one.word == LOW for one in findings):
        return findings
    if job.state != "succeeded":
        return [*findings, Finding(LINKS, UNKNOWN, f"{LINKS}: {describe(job)}")]
    if not found.decided:
        return [*findings, Finding(LINKS, UNKNOWN, f"{LINKS}: {found.sentence}")]
    if nodes < _FEWEST_PEERS and known < len(newest):
        told = (
            f"{LINKS}: two nodes have only each other, and no earlier measurement; run it again to compare with this."
        )
        return [*findings, Finding(LINKS, UNKNOWN, told)]
    told = f"{LINKS}: fine beside each other; {known} of {len(newest)} pairs were also compared with earlier ones."
    return [*findings, Finding(LINKS, FINE, told)]


def _of_pair(pair: Pair, link: Link) -> list[Finding]:
    first, second = pair.nodes
    ways = ((first, second, pair.there), (second, first, pair.back))
    before = {(way.source, way.destination): way for way in link.ways}
    found = []
    for source, destination, rate in ways:
        way = before.get((source, destination))
        if rate is not None and way is not None:
            expected = Interval(way.low_gb_per_s, way.high_gb_per_s)
            found.append(compared(f"{source} to {destination}", _gb_per_s(rate), expected))
    return found


def _gb_per_s(rate: WayRate) -> Interval:
    return Interval(rate.low / 1e9, rate.high / 1e9)
