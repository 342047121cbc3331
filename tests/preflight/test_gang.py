"""The node for which a gang does not start: slow nodes before links, and hung pairs."""

from typing import Any

from ringscope.contracts.diagnosis.record import DiagnosisVerdict, PairMeasured
from ringscope.preflight.gang import unfit_node

NODES = ["h1", "h2", "h3"]


def blamed(kind: str, names: list[str], rate: float = 12e6) -> dict[str, Any]:
    way = {"low": rate, "high": 1.1 * rate, "spread": 0.01, "messages": 9}
    fast = {"low": 2 * rate, "high": 2.1 * rate, "spread": 0.01, "messages": 9}
    sentence = f"{' and '.join(names)} reaches 50% of what others reach."
    evidence = [{"nodes": ["h1", "h2"], "there": way, "back": fast}]
    return {
        "kind": kind, "names": names, "manner": "slow", "confidence": 0.9, "sentence": sentence, "evidence": evidence
    }  # fmt: skip


def verdict(*found: dict[str, Any]) -> DiagnosisVerdict:
    told = {"decided": True, "rounds": 3, "blamed": list(found), "cleared": [], "sentences": [], "undecided": []}
    return DiagnosisVerdict.model_validate(told)


def test_nobody_is_left_out_if_nothing_is_blamed() -> None:
    assert unfit_node(verdict(), [], NODES) is None
    assert unfit_node(None, [], NODES) is None
    assert unfit_node(verdict(blamed("boundary", ["r1", "r2"])), [], NODES) is None


def test_a_slow_node_is_left_out_with_its_number() -> None:
    found = unfit_node(verdict(blamed("link", ["h1", "h2"]), blamed("node", ["h3"])), [], NODES)
    assert found is not None and found.node == "h3"
    assert found.sentence == "h3 reaches 50% of what others reach. h1 to h2: 12 to 13.2 MB/s."


def test_of_several_slow_nodes_the_slowest_is_left_out_and_the_others_are_named() -> None:
    found = unfit_node(verdict(blamed("node", ["h1"]), blamed("node", ["h2"], 6e6)), [], NODES)
    assert found is not None and found.node == "h2" and found.sentence.endswith("So are h1.")


def test_of_a_slow_link_or_a_pair_that_hung_one_end_is_left_out() -> None:
    found = unfit_node(verdict(blamed("link", ["h1", "h2"])), [], NODES)
    assert found is not None and found.node == "h2"
    hung = PairMeasured(round=0, first=0, second=2, ending="hung", time_ns=1_900_000_000 * 10**9)
    found = unfit_node(verdict(), [hung], NODES)
    assert found is not None and found.node == "h3" and "between h1 and h3" in found.sentence


def test_a_link_that_only_varies_is_no_reason_to_leave_a_node_out() -> None:
    rate = {"low": 24e6, "high": 26e6, "spread": 0.01, "messages": 9}
    pairs = [
        PairMeasured(round=0, first=0, second=1, there=rate, back=rate, time_ns=1_900_000_000 * 10**9) for _ in range(2)
    ]
    lossy = blamed("link", ["h1", "h2"], 23e6) | {"manner": "lossy"}  # 23 to 25.3 MB/s
    assert unfit_node(verdict(lossy), pairs, NODES) is None
    slower = blamed("link", ["h1", "h2"], 12e6) | {"manner": "lossy"}
    found = unfit_node(verdict(slower), pairs, NODES)
    assert found is not None and found.node == "h2"
