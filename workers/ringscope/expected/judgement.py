"""The judgement of a run: as expected, low, above what was expected, impossible, or unknown. Pure.

It is a function of the facts, the points and the references alone, and states its version.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import median

from ringscope.contracts.words.units import format_size, plural
from ringscope.expected.facts import Facts, Point, gpu_class
from ringscope.expected.hardware import GPUS, NVLS_LEAST_RANKS
from ringscope.expected.published import Source
from ringscope.expected.references import MIB, Reference, limit, merged, model, published
from ringscope.expected.transport import Finding, findings

VERSION = 1
AS_EXPECTED, LOW, ABOVE, IMPOSSIBLE, UNKNOWN = "as expected", "low", "above what was expected", "impossible", "unknown"
BY_REFERENCES, BY_OWN_RUNS, BY_NOTHING = "references", "own runs", "nothing"
_LARGE_BYTES = 64 * MIB  # from here on the links decide, and below latencies do
_MERGED = ("published", "baseline")
_CAUSES = (
    ("too few or slow cards", "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH shows the cards that NCCL uses"),
    ("GPUDirect RDMA that is off", "NCCL_NET_GDR_LEVEL=SYS, and `GDRDMA` in NCCL's lines"),
    ("ACS or an IOMMU between GPU and card", "lspci -vvv | grep ACSCtl"),
)  # fmt: skip
_CAUSES_INSIDE = (
    ("a link that is down", "nvidia-smi nvlink --status"),
    ("clocks or power that are limited", "nvidia-smi -q -d PERFORMANCE,CLOCK"),
    ("another job on the same GPUs", "nvidia-smi"),
)  # fmt: skip


@dataclass(frozen=True)
class SizeJudgement:
    """The judgement of one point, with the references that it used; ``deviation`` is value / expected - 1."""

    point: Point
    word: str
    references: list[Reference]
    deviation: float | None = None
    wire_gb_per_s: float | None = None  # what went over the wire, where the switch reduces


@dataclass(frozen=True)
class Judgement:
    """The judgement of a whole run, in a word and a sentence."""

    word: str
    sentence: str
    sizes: list[SizeJudgement] = field(default_factory=list)
    transport: list[Finding] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    basis: str = BY_REFERENCES  # the function that made it
    facts: Facts | None = None

    def document(self) -> dict[str, object]:
        """Return it as JSON, with the references of its largest point."""
        last = max(self.sizes, key=lambda one: one.point.size_bytes, default=None)
        return {
            "word": self.word,
            "sentence": self.sentence,
            "version": VERSION,
            "basis": self.basis,
            "facts": None if self.facts is None else asdict(self.facts),
            "missing": self.missing,
            "transport": [finding.sentence for finding in self.transport],
            "references": [one.document() for one in last.references] if last else [],
            "sizes": [
                {
                    "size_bytes": one.point.size_bytes,
                    "in_place": one.point.in_place,
                    "busbw_gb_per_s": one.point.value,
                    "low_gb_per_s": one.point.low,
                    "high_gb_per_s": one.point.high,
                    "word": one.word,
                    "deviation": None if one.deviation is None else round(one.deviation, 4),
                    "wire_gb_per_s": None if one.wire_gb_per_s is None else round(one.wire_gb_per_s, 2),
                    "references": [reference.document() for reference in one.references],
                }
                for one in self.sizes
            ],
        }


def judge(facts: Facts, points: Sequence[Point], sources: Sequence[Source]) -> Judgement:
    """Return the judgement of a run; ``sources`` are the published runs and the site's own."""
    return conclude(facts, [(point, references_of(facts, point.size_bytes, sources)) for point in points])


def references_of(facts: Facts, size_bytes: int, sources: Sequence[Source]) -> list[Reference]:
    """Return every reference of a size: the limit, the model, published rows, and own runs."""
    rows = published(facts, size_bytes, sources)
    kinds = [[one for one in rows if one.kind == kind] for kind in _MERGED]
    found = (limit(facts, size_bytes), model(facts, size_bytes), *kinds[0], *kinds[1])
    return [one for one in found if one is not None]


def conclude(facts: Facts, points: Sequence[tuple[Point, list[Reference]]]) -> Judgement:
    """Return the judgement of points whose references are known."""
    return replace(_concluded(facts, points), facts=facts)


def _concluded(facts: Facts, points: Sequence[tuple[Point, list[Reference]]]) -> Judgement:
    used = findings(facts)
    missing = _missing(facts)
    sizes = [_size(facts, point, references) for point, references in points if point.value > 0]
    if missing or not sizes:
        told = [finding.sentence for finding in used]
        lacking = f"the log does not state {_joined(missing)}" if missing else "it has no row with a bus bandwidth"
        sentence = " ".join([*told, f"It is unknown what was to be expected: {lacking}."])
        return Judgement(UNKNOWN, sentence, sizes, used, missing)
    impossible = [one for one in sizes if one.word == IMPOSSIBLE]
    if impossible:
        return Judgement(IMPOSSIBLE, _told_impossible(impossible[-1]), sizes, used)
    judged = [one for one in sizes if one.word != UNKNOWN]
    if not judged:
        return _unjudged(facts, sizes, used)
    return _whole(facts, sizes, judged, used)


def _size(facts: Facts, point: Point, references: list[Reference]) -> SizeJudgement:
    """Compare a point's interval with that of its best reference: own runs, else published ones, else the model."""
    kinds = {kind: [one for one in references if one.kind == kind] for kind in ("limit", "model", *_MERGED)}
    most = next(iter(kinds["limit"]), None)
    wire = _wire(facts, point)
    if most is not None and point.low > most.value * 1.005:
        return SizeJudgement(point, IMPOSSIBLE, references, point.value / most.value - 1, wire)
    best = merged(kinds["baseline"]) or merged(kinds["published"]) or next(iter(kinds["model"]), None)
    if best is None:
        return SizeJudgement(point, UNKNOWN, references, None, wire)
    word = LOW if point.high < best.low else ABOVE if point.low > best.high else AS_EXPECTED
    return SizeJudgement(point, word, references, point.value / best.value - 1, wire)


def _whole(facts: Facts, sizes: list[SizeJudgement], judged: list[SizeJudgement], used: list[Finding]) -> Judgement:
    """Judge by the large sizes, where the links decide, or by all if there are none."""
    large = [one for one in judged if one.point.size_bytes >= _LARGE_BYTES]
    telling = large or judged
    by_word = {word: [one for one in telling if one.word == word] for word in (LOW, ABOVE, AS_EXPECTED)}
    peak = max(telling, key=lambda one: (one.point.size_bytes, one.point.value))
    if len(by_word[LOW]) * 2 > len(telling):
        word = LOW
    elif len(by_word[ABOVE]) * 2 > len(telling):
        word = ABOVE
    else:
        word = AS_EXPECTED
    deviation = median(one.deviation or 0.0 for one in (by_word[word] or telling))
    what = _told_peak(peak)
    if word == LOW:
        percent = max(1, round(-100 * deviation))
        told = [finding.sentence for finding in used]
        if not any(finding.explains for finding in used):
            told.append(_told_causes(facts))
        return Judgement(f"low by {percent} %", f"{what}: low by {percent} %. {' '.join(told)}", sizes, used)
    notes = [finding.sentence for finding in used]
    small = [one for one in judged if one.word == LOW and one not in telling]
    if small and large:
        notes.append(f"Sizes from {_range(small)} are lower than published ones; there latency decides.")
    if word == ABOVE:
        notes.append("The published runs may have had older versions or other conditions.")
    return Judgement(word, " ".join([f"{what}: {word}.", *notes]), sizes, used)


def _unjudged(facts: Facts, sizes: list[SizeJudgement], used: list[Finding]) -> Judgement:
    missing = []
    if (facts.nodes or 1) > 1 and not (facts.cards and facts.card_gbit):
        missing.append("number and rate of the cards of a node (--cards 8x400G)")
    kind = f"{facts.collective}, {gpu_class(facts.gpu)}, {facts.ranks} ranks on {plural(facts.nodes or 0, 'node')}"
    why = f"no published run is of this kind ({kind})"
    if missing:
        why += f", and the log does not state {_joined(missing)}"
    told = [finding.sentence for finding in used]
    return Judgement(UNKNOWN, " ".join([*told, f"It is unknown what was to be expected: {why}."]), sizes, used, missing)


def _missing(facts: Facts) -> list[str]:
    """Return the facts without which nothing can be said, as a person would ask for them."""
    missing = []
    if facts.collective is None:
        missing.append("the collective (--collective)")
    if facts.gpu is None:
        missing.append("the GPU (--gpu)")
    elif gpu_class(facts.gpu) is None:
        missing.append(f"a GPU that is known here ({facts.gpu} is not)")
    if facts.ranks is None:
        missing.append("the number of ranks (--ranks)")
    if facts.nodes is None:
        missing.append("the number of nodes (--nodes)")
    return missing


def _wire(facts: Facts, point: Point) -> float | None:
    """Return algbw x (1 + 1 / ranks), which is what each GPU sends if the switch reduces (nccl#2140)."""
    gpu = GPUS.get(gpu_class(facts.gpu) or "")
    ranks = facts.ranks or 0
    if (
        gpu is None
        or not gpu.nvls
        or facts.nvls is False
        or facts.collective != "all_reduce"
        or ranks < NVLS_LEAST_RANKS
    ):
        return None
    return point.value * ranks / (2 * (ranks - 1)) * (1 + 1 / ranks) if facts.nodes == 1 else None


def _told_impossible(one: SizeJudgement) -> str:
    most = next(reference for reference in one.references if reference.kind == "limit")
    wire = f"; on the wire it would be {one.wire_gb_per_s:.4g} GB/s, as the switch reduces" if one.wire_gb_per_s else ""
    return (
        f"{one.point.value:.4g} GB/s at {format_size(one.point.size_bytes)} is impossible: the links carry at most "
        f"{most.value:.4g} GB/s ({most.source}){wire}. The time may be that of the launch, or the facts are of another "
        "machine."
    )


def _told_peak(one: SizeJudgement) -> str:
    kinds = {reference.kind: reference for reference in one.references}
    best = kinds.get("baseline") or kinds.get("published") or kinds.get("model")
    assert best is not None
    expected = merged([reference for reference in one.references if reference.kind == best.kind]) or best
    name = {"baseline": "own runs", "published": "published runs", "model": "NCCL's formulas"}[best.kind]
    return (
        f"{one.point.value:.4g} GB/s at {format_size(one.point.size_bytes)}, where {name} suggest "
        f"{expected.low:.3g} to {expected.high:.3g} GB/s ({expected.source})"
    )


def _told_causes(facts: Facts) -> str:
    causes = _CAUSES if (facts.nodes or 1) > 1 else _CAUSES_INSIDE
    return "Likely causes: " + "; ".join(f"{cause} ({command})" for cause, command in causes) + "."


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _range(found: Sequence[SizeJudgement]) -> str:
    sizes = [one.point.size_bytes for one in found]
    return " to ".join(dict.fromkeys(map(format_size, (min(sizes), max(sizes)))))
