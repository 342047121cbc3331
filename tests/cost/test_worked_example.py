"""Traces: a schedule followed with numbers, and exported for Perfetto."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringscope.contracts.words.collectives import SCHEDULED
from ringscope.contracts.words.topology import Link, flat
from ringscope.cost.timeline import simulate
from ringscope.cost.traces.perfetto import to_perfetto
from ringscope.schedules.algorithms import SCHEDULES, build
from ringscope.schedules.trace import trace

LECTURE = [[2, 4, 6], [1, 2, 3], [4, 8, 12]]
ALGORITHMS = st.sampled_from(sorted(SCHEDULES))


@pytest.mark.parametrize("algorithm", sorted(SCHEDULES))
def test_the_example_of_three_devices_ends_in_7_14_21(algorithm):
    *_, last = trace(SCHEDULES[algorithm](3, 3), LECTURE)
    assert last.held == [[7, 14, 21]] * 3


@given(ALGORITHMS, st.integers(1, 9), st.integers(0, 20))
def test_every_rank_ends_with_the_sum_and_each_step_follows_from_the_one_before(algorithm, ranks, count):
    before = [[float((rank + 1) * (i + 2) % 7) for i in range(count)] for rank in range(ranks)]
    total = [sum(column) for column in zip(*before, strict=True)]
    for step in trace(SCHEDULES[algorithm](ranks, count), before):
        for message, carried in step.moves:
            start = message.source.offset
            assert carried == before[message.src][start : start + message.source.length]
        before = step.held
    assert ranks == 1 or before == [total] * ranks


def test_the_input_is_left_alone():
    values = [row[:] for row in LECTURE]
    list(trace(SCHEDULES["ring"](3, 3), values))
    assert values == LECTURE


@pytest.mark.parametrize("values", [[[1, 2]], [[1, 2], [3]]])
def test_values_that_do_not_fit_are_refused(values):
    with pytest.raises(ValueError, match="values: 2 ranks need as many rows of 2 numbers each"):
        list(trace(SCHEDULES["ring"](2, 2), values))


@pytest.mark.parametrize(("collective", "algorithm"), [(c, a) for c, names in SCHEDULED.items() for a in names])
def test_the_perfetto_export_is_a_valid_chrome_trace(collective, algorithm):
    timeline = simulate(build(algorithm, 5, 1000, collective=collective), 4, flat(5, Link(1e-6, 1e9), 1e10))
    document = json.loads(json.dumps(to_perfetto(timeline, "a title")))
    events = document["traceEvents"]
    assert all(isinstance(e["pid"], int) and isinstance(e["tid"], int) and e["name"] for e in events)
    assert {e["ph"] for e in events} == {"M", "X", "s", "f"}, "metadata, complete events, flow start and end"
    assert all(isinstance(e["ts"], float) and math.isfinite(e["ts"]) for e in events if e["ph"] != "M")
    assert all(e["bp"] == "e" and e["cat"] == "message" for e in events if e["ph"] == "f")
    assert {e["args"]["name"] for e in events if e["name"] == "process_name"} == {f"rank {r}" for r in range(5)}
    slices = [e for e in events if e["ph"] == "X"]
    assert all(e["ts"] >= 0 and e["dur"] > 0 and e["cat"] == e["args"]["phase"] for e in slices)
    assert max(e["ts"] + e["dur"] for e in slices) == pytest.approx(timeline.seconds * 1e6)
    assert_no_overlap(slices)
    assert_arrows_join_a_send_to_its_receive(events, slices)
    assert sum(e["args"]["size_bytes"] for e in slices if e["tid"] == 0) == sum(m.size_bytes for m in timeline.messages)


def assert_no_overlap(slices: list[dict]) -> None:
    """Slices that overlap on one track would be drawn as if one called the other."""
    tracks: dict[tuple[int, int], float] = {}
    for e in sorted(slices, key=lambda e: e["ts"]):
        track = e["pid"], e["tid"]
        assert e["ts"] >= tracks.get(track, 0) - 1e-9
        tracks[track] = e["ts"] + e["dur"]


def assert_arrows_join_a_send_to_its_receive(events: list[dict], slices: list[dict]) -> None:
    starts = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    sends = [e for e in slices if e["tid"] == 0]
    assert starts.keys() == ends.keys() == set(range(len(sends)))
    for number, send in enumerate(sends):
        assert (starts[number]["pid"], starts[number]["ts"]) == (send["args"]["from"], send["ts"])
        assert ends[number]["pid"] == send["args"]["to"]
        assert ends[number]["ts"] == pytest.approx(send["ts"] + send["dur"])
