"""The verdict of a diagnosis: names with a confidence and a sentence, or undecided and what would decide it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

from ringscope.diagnosis.answers import Answer
from ringscope.diagnosis.belief import Belief
from ringscope.diagnosis.boundaries import Boundaries, Halves
from ringscope.diagnosis.rounds import Pair
from ringscope.diagnosis.suspects import Blame, Suspicion
from ringscope.diagnosis.trials import MARGIN, Manner, Trial, Trials

_UNSURE = 0.8  # the confidence that a boundary was not simply built for less, where nothing else can say it
_MOST_NAMED = 5
_PREDICATES = {
    Manner.LOSSY: "varies far more than others",
    Manner.HUNG: "hangs",
    Manner.DIED: "ends with an error",
}


class Kind(StrEnum):
    """The kind of thing that is blamed."""

    NODE = "node"
    LINK = "link"
    BOUNDARY = "boundary"


@dataclass(frozen=True, slots=True)
class Blamed:
    """A fault: its kind and names, its manner and directions, the confidence in it, and the evidence.

    ``rail`` is the only rail of these nodes that is at fault; None: all of them.
    """

    kind: Kind
    names: tuple[str, ...]
    manner: Manner
    ways: tuple[Pair, ...]
    confidence: float
    sentence: str
    evidence: tuple[Answer, ...]
    rail: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The end of a diagnosis; ``decided`` with nobody blamed means that nothing is wrong by interval.

    ``cleared`` are nodes that took part in bad pairs and are good, each with a sentence in ``sentences``. ``undecided``
    has a sentence for each open question, which says what would decide it.
    """

    decided: bool
    rounds: int
    blamed: tuple[Blamed, ...]
    cleared: tuple[str, ...]
    sentences: tuple[str, ...]
    undecided: tuple[str, ...]


def verdict_of(belief: Belief, trials: Trials, nodes: Suspicion, found: Boundaries) -> Verdict:
    """Return the verdict on all trials."""
    blamed = [_boundary(belief, blame) for blame in found.racks.blamed]
    if found.between:
        blamed.append(_between(belief, found.between[0].pair, found.between))
    if found.halves:
        blamed.append(_halves(found.halves))
    blamed += [_node(blame) if len(blame.units) == 1 else _link(blame) for blame in nodes.blamed]
    undecided = [] if found.between else _open_racks(found.racks)
    undecided += _open_nodes(belief, nodes, trials)
    bad_with = {unit for trial in trials.bad for unit in trial.pair}
    cleared = sorted(bad_with & nodes.good - nodes.bad_units())
    sentences = [each.sentence for each in blamed]
    sentences += [f"{node} is good: {_why_good(node, trials.nodes)}." for node in cleared]
    sentences += [
        f"{trial.pair[0]} and {trial.pair[1]} were {trial.manner} in round {trial.round + 1} and fine in another round."
        for trial in nodes.passing
    ]
    sentences += _by_baselines(belief, trials)
    if not blamed and not undecided:
        sentences.insert(0, f"Nothing is wrong: all {len(belief.nodes)} nodes reach what most of them reach.")
    return Verdict(not undecided, len(belief.heard), tuple(blamed), tuple(cleared), tuple(sentences), tuple(undecided))


def _by_baselines(belief: Belief, trials: Trials) -> list[str]:
    """Return sentences on earlier measurements: how many directions have some, and which were slow then too."""
    if not belief.baselines:
        return []
    alone = [answer for heard in belief.heard for answer in heard.answers if answer.pair not in heard.round.loaded]
    ways = {way: rate for answer in alone for way, rate in answer.ways()}
    held = [way for way in ways if way in belief.baselines]
    if not held:
        return []
    told = [f"{len(held)} of {len(ways)} directions are held against what earlier diagnoses measured there."]
    if trials.level < 1 - MARGIN:
        slower = f"{trials.level:.0%} of what earlier diagnoses measured"
        told.append(f"The links reach {slower}; something slows all of them.")
    bad = {way for trial in trials.bad for way in trial.ways}
    low = [way for way in held if way not in bad and ways[way].high < (1 - MARGIN) * trials.reference]
    told += [
        f"{source} to {destination} reaches {ways[source, destination].centre / trials.reference:.0%} of what others "
        "reach, as in earlier diagnoses."
        for source, destination in low[:_MOST_NAMED]
    ]
    more = len(low) - _MOST_NAMED
    return told + ([f"So do {more} more directions."] if more > 0 else [])


def _node(blame: Blame) -> Blamed:
    (node,) = blame.units
    if blame.gone:
        sentence = f"{node} is gone, as its agent or the operating system reports."
        return Blamed(
            Kind.NODE, (node,), _manner(blame.trials), (), blame.confidence, sentence, _evidence(blame.trials)
        )
    manner, ways = _manner(blame.trials), _ways(blame.trials)
    partners = sorted({trial.partner(node) for trial in blame.trials})
    sends, receives = any(way[0] == node for way in ways), any(way[1] == node for way in ways)
    only = "" if sends and receives else " when it sends" if sends else " when it receives"
    sentence = (
        f"{node} {_predicate(manner, blame.trials)}{only} with {_some(partners)}, which are fine with others"
        f"{', though not every time' if blame.intermittent else ''}."
    )
    return Blamed(Kind.NODE, (node,), manner, ways, blame.confidence, sentence, _evidence(blame.trials))


def _link(blame: Blame) -> Blamed:
    first, second = blame.units
    manner, ways = _manner(blame.trials), _ways(blame.trials)
    between = f"between {first} and {second}" if len(ways) != 1 else f"from {ways[0][0]} to {ways[0][1]}"
    sentence = (
        f"The link {between} {_predicate(manner, blame.trials)} in {len(blame.trials)} of {len(blame.trials)} "
        "measurements, and both nodes are fine with others."
    )
    return Blamed(Kind.LINK, blame.units, manner, ways, blame.confidence, sentence, _evidence(blame.trials))


def _boundary(belief: Belief, blame: Blame) -> Blamed:
    if len(blame.units) == 2:
        return _between(belief, (blame.units[0], blame.units[1]), blame.trials)
    (rack,) = blame.units
    others = sorted({trial.partner(rack) for trial in blame.trials})
    manner = _manner(blame.trials)
    sentence = (
        f"The uplink of {rack} {_predicate(manner, blame.trials)} towards {_some(others)}; the nodes of {rack} are "
        "fine with each other, and the other racks too."
    )
    ways = _ways(blame.trials)
    return Blamed(Kind.BOUNDARY, (rack,), manner, ways, blame.confidence, sentence, _evidence(blame.trials))


def _between(belief: Belief, pair: Pair, bad: Sequence[Trial]) -> Blamed:
    alone = len(belief.racks) == 2
    manner = _manner(bad)
    sentence = f"The boundary between {pair[0]} and {pair[1]} {_predicate(manner, bad)}; both are fine alone."
    if alone:
        sentence += " A third rack would tell whether the network is built so."
    confidence = _UNSURE if alone else 1 - 0.5 ** (2 * len(bad))
    return Blamed(Kind.BOUNDARY, pair, manner, _ways(bad), confidence, sentence, _evidence(bad))


def _halves(halves: Halves) -> Blamed:
    first, second, bad = halves
    names = (", ".join(first), ", ".join(second))
    manner = _manner(bad)
    sentence = (
        f"The boundary between {_some(first)} and {_some(second)} {_predicate(manner, bad)} in all {len(bad)} "
        "measurements across it; both groups are fine alone."
    )
    return Blamed(Kind.BOUNDARY, names, manner, (), 1 - 0.5 ** len(bad), sentence, _evidence(bad))


def _open_racks(racks: Suspicion) -> list[str]:
    made = [
        f"The uplink of {rack} may be slow; a measurement with a rack that is known to be good would decide it."
        for rack in racks.confirm
    ]
    return made + [f"The boundary between {a} and {b} was bad once; a repetition decides it." for a, b in racks.again]


def _open_nodes(belief: Belief, nodes: Suspicion, trials: Trials) -> list[str]:
    made = []
    if nodes.confirm and not nodes.good:
        made.append(
            "No pair is fine, so nothing shows who is good; a baseline of these links or further nodes would decide it."
        )
    else:
        made += [
            f"{node} was bad with {_some(sorted(partners))}; a measurement with another good node would decide it."
            for node, partners in nodes.confirm.items()
        ]
    made += [f"The link between {a} and {b} was bad once; a repetition would decide it." for a, b in nodes.again]
    silent = set(belief.nodes).difference(chain.from_iterable(trial.pair for trial in trials.nodes))
    silent -= {answer for trial in trials.racks for each in trial.answers for answer in each.pair}
    if silent:
        made.append(f"{_some(sorted(silent))} took part in no measurement; further rounds would decide it.")
    at_times: dict[str, int] = {}
    for trial in nodes.passing:
        for unit in trial.pair:
            at_times[unit] = at_times.get(unit, 0) + 1
    return made + [
        f"{unit} was bad {count} times and fine at other times; a longer measurement would decide it."
        for unit, count in at_times.items()
        if count > 1
    ]


def _predicate(manner: Manner, trials: Sequence[Trial]) -> str:
    if manner is Manner.SLOW:
        worst = min(trials, key=lambda trial: trial.share)
        what = "it reached in earlier diagnoses" if worst.is_by_baseline else "others reach"
        return f"reaches {worst.share:.0%} of what {what}"
    return _PREDICATES[manner]


def _manner(trials: Sequence[Trial]) -> Manner:
    manners = [trial.manner for trial in trials if trial.manner is not None]
    return max(list(Manner), key=manners.count)


def _ways(trials: Sequence[Trial]) -> tuple[Pair, ...]:
    return tuple(sorted({way for trial in trials for way in trial.ways}))


def _evidence(trials: Sequence[Trial]) -> tuple[Answer, ...]:
    return tuple(answer for trial in trials for answer in trial.answers)


def _why_good(node: str, trials: Sequence[Trial]) -> str:
    fine = sorted({trial.partner(node) for trial in trials if trial.fine and node in trial.pair})
    return f"it is fine with {_some(fine)}"


def _some(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMED:
        return f"{', '.join(names[: _MOST_NAMED - 1])} and {len(names) - _MOST_NAMED + 1} others"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
