"""The verdict in sentences: the answer first, then the lines of source code. Pure."""

from collections.abc import Sequence

from ringscope.contracts.words.units import plural
from ringscope.hangs.model import Operation, Sizes
from ringscope.hangs.pairs import Unmatched
from ringscope.hangs.verdict import Finding, Verdict

_MOST_RANKS = 8


def answer(verdict: Verdict) -> str:
    """Return the sentence that says what keeps the ranks waiting."""
    if verdict.findings:
        return sentence(verdict.findings[0])
    if verdict.pairs:
        return pair_sentence(verdict.pairs[0])
    ranks = plural(len(verdict.ranks), "rank")
    return (
        f"No finding: {plural(verdict.compared, 'operation')} of {ranks} were compared; all fit together, all have "
        "ended, and no rank came late to one."
    )


def sentence(finding: Finding) -> str:
    """Return a finding in one sentence, with the operation, its number and its line of source code."""
    who, have, issued = ranks_words(finding.ranks), _have(finding.ranks), _call(finding.expected)
    where = f"operation {finding.seq} of {finding.group}"
    others = ranks_words(finding.waiting)
    if finding.kind in ("missing", "torn_down"):
        waits = "waits" if len(finding.waiting) == 1 else "wait"
        last = f"the last that it issued is {_call(finding.found)}" if finding.found else "it has issued none there"
        if len(finding.ranks) > 1:
            last = last.replace("it issued", f"rank {finding.ranks[0]} issued").replace("it has", "they have")
        torn = ""
        if finding.kind == "torn_down":
            torn = f", and {_have(finding.ranks)} closed the connections of the group"
        blocked = f", and waits itself in group {finding.blocked_in}" if finding.blocked_in else ""
        text = f"{who} {have} not issued {where}, {issued}, in which {others} {waits}{torn}; {last}{blocked}."
        if finding.gone:
            text = f"{text[:-1]}; {ranks_words(finding.gone)} {_have(finding.gone)} no dump here and may be the cause."
    elif finding.kind == "order":
        text = f"{who} issued {_call(finding.found)} as {where}, where {others} issued {_call(finding.expected)}: " + (
            "the order of the calls differs."
        )
    elif finding.kind == "size":
        text = (
            f"{who} issued {where}, {issued}, with {size_words(finding.found)}, where {others} issued it with "
            f"{size_words(finding.expected)}."
        )
    elif finding.kind == "type":
        text = (
            f"{who} issued {where}, {issued}, with {dtype_words(finding.found)}, where {others} issued it with "
            f"{dtype_words(finding.expected)}."
        )
    elif finding.kind == "slow":
        text = f"{who} came {finding.late_s or 0:.1f} s after all others to {where}, {issued}; no rank hangs."
    elif finding.kind == "no_dump":
        text = (
            f"{who} {have} no dump here, and {others} wait in {where}, {issued}: either a process ended before it "
            "wrote one, or a file was left out."
        )
    else:
        text = (
            f"No rank is missing: all have issued {where}, {issued}, and it has not ended on {others}; look at the "
            "network and the GPUs, not at the script."
        )
    return _capital(text)


def pair_sentence(pair: Unmatched) -> str:
    """Return one rank that waits for another in a send or a receive, in a sentence."""
    verb = "sends to" if pair.operation.name.startswith("send") else "receives from"
    waits = f"Rank {pair.rank} {verb} rank {pair.peer}{_at(pair.operation)} and waits"
    if pair.other is not None:
        sent, expected = size_words(pair.operation), size_words(pair.other, False)
        return f"{waits}: it has {sent}, where rank {pair.peer} expects {expected}."
    if not pair.has_dump:
        return f"{waits}; rank {pair.peer} has no dump here."
    missing = "receive" if pair.operation.name.startswith("send") else "send"
    return f"{waits}, but rank {pair.peer} waits in no {missing} of this pair."


def details(finding: Finding) -> list[str]:
    """Return the lines of source code below a finding."""
    lines = []
    if finding.expected is not None and finding.expected.source is not None:
        lines.append(f"{_capital(ranks_words(finding.waiting))}: {_call(finding.expected, with_function=True)}")
    if finding.found is not None and finding.found.source is not None and finding.kind != "slow":
        lines.append(f"{_capital(ranks_words(finding.ranks[:1]))}: {_call(finding.found, with_function=True)}")
    return lines


def ranks_words(ranks: Sequence[int]) -> str:
    """Format ranks: rank 2, ranks 0, 1 and 3, ranks 0, 1, 2 and 61 others."""
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    shown, rest = list(map(str, ranks[:_MOST_RANKS])), len(ranks) - _MOST_RANKS
    if rest > 0:
        return f"ranks {', '.join(shown)} and {plural(rest, 'other')}"
    return f"ranks {', '.join(shown[:-1])} and {shown[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _have(ranks: Sequence[int]) -> str:
    return "has" if len(ranks) == 1 else "have"


def _call(operation: Operation | None, with_function: bool = False) -> str:
    if operation is None:
        return "an operation"
    source = operation.source
    function = f", in {source.function}" if source and with_function else ""
    return f"{operation.name}{_at(operation)}{function}"


def _at(operation: Operation) -> str:
    return f" at {operation.source}" if operation.source else ""


def size_words(operation: Operation | None, is_sent: bool = True) -> str:
    """Return the shapes of an operation's tensors in words."""
    if operation is None:
        return "an unknown size"
    sizes = (operation.input_sizes if is_sent else operation.output_sizes) or operation.output_sizes
    return f"shape {_shapes(sizes)}"


def _shapes(sizes: Sizes) -> str:
    shown = [f"[{', '.join(map(str, shape))}]" for shape in sizes[:4]]
    return ", ".join(shown) + (" ..." if len(sizes) > 4 else "") if shown else "[]"


def dtype_words(operation: Operation | None) -> str:
    """Return the dtypes of an operation's tensors in words."""
    told = (operation.input_dtypes or operation.output_dtypes) if operation else ()
    return f"dtype {', '.join(dict.fromkeys(told))}" if told else "an unknown dtype"
