"""The references of a judgement's document, made once more from its facts and the data file. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from math import isclose
from typing import Any

from ringscope.expected import own_runs
from ringscope.expected.again import reference_of
from ringscope.expected.facts import Facts
from ringscope.expected.judgement import BY_OWN_RUNS, BY_REFERENCES, references_of
from ringscope.expected.published import Source
from ringscope.expected.references import RELATIVE, Reference, is_own_interval

_Key = tuple[str, str, str | None, str | None]


def differing_references(document: Mapping[str, Any], sources: Sequence[Source]) -> Iterator[tuple[int, str]]:
    """Yield the size in bytes and a sentence for each reference that is not what the facts and ``sources`` give.

    References to a site's own runs are not in the data file: only the width of their intervals is known. A published
    run that is not in the data file is left to the caller.
    """
    if document["basis"] == BY_OWN_RUNS:
        for size in document["sizes"]:
            if not all(own_runs.is_own_interval(reference_of(one)) for one in size["references"]):
                yield size["size_bytes"], "the interval of own runs is not the one that their median gives"
    if document["basis"] != BY_REFERENCES:
        return
    facts = Facts(**document["facts"])
    for size in document["sizes"]:
        told = {_key(one): one for one in map(reference_of, size["references"])}
        again = {_key(one): one for one in references_of(facts, size["size_bytes"], sources)}
        yield from ((size["size_bytes"], sentence) for sentence in _differing(told, again))


def _differing(told: Mapping[_Key, Reference], again: Mapping[_Key, Reference]) -> Iterator[str]:
    for key, reference in told.items():
        kind, source, *_ = key
        should = again.get(key)
        if kind == "baseline":
            if not is_own_interval(reference):
                yield "the interval of own runs is not the one that their value gives"
        elif should is None:
            if kind != "published":
                yield f"the {kind} ({source}) is not what the facts give"
        elif not _is_same(reference, should):
            yield (
                f"the {kind} reference is {reference.value:.6g} GB/s ({reference.low:.6g} to {reference.high:.6g}), "
                f"but {source} gives {should.value:.6g} ({should.low:.6g} to {should.high:.6g})"
            )
    # With a site's own runs at hand, others of other networks do not count (references.published).
    has_own = any(kind == "baseline" for kind, *_ in told)
    left_out = [key for key in again if key not in told and not (has_own and key[0] == "published")]
    yield from (f"it leaves out the {kind} reference that {source} gives" for kind, source, *_ in left_out)


def _is_same(one: Reference, other: Reference) -> bool:
    pairs = ((one.value, other.value), (one.low, other.low), (one.high, other.high))
    return all(isclose(mine, theirs, rel_tol=RELATIVE) for mine, theirs in pairs)


def _key(one: Reference) -> _Key:
    return one.kind, one.source, one.url, one.date
