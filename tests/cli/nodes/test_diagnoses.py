"""`ringscope links` and `ringscope diagnose`: the job that they submit, their tables, their JSON, and bad input."""

import json
from typing import Any

import pytest
from tests.cli.fake_api import Answer, Done, FakeApi, job

from ringscope.cli.results.link_matrix import Way, slowest

SPEC = {"kind": "diagnosis", "diagnosis": {"measure": "links"}}
SENTENCE = "h3 reaches 50% of what others reach with h1 and h2, which are fine with others."


def node(name: str, **more: Any) -> dict[str, Any]:
    fields = {"id": 1, "name": name, "desired": "active", "observed": "ready", "slots_total": 1, "slots_busy": 0}
    times = {"heartbeat_age_seconds": 1.0, "clock_offset_seconds": 0.0}
    return fields | times | more


def pair(first: str, second: str, rate: float, **more: Any) -> dict[str, Any]:
    way = {"low": 0.99 * rate, "high": 1.01 * rate, "spread": 0.01, "messages": 12}
    told = {
        "nodes": [first, second],
        "rail": None,
        "round": 0,
        "ending": "measured",
        "there": way,
        "back": way,
        "latency_us": 80.0,
    }
    return told | {"is_loaded": False, "measured_at": "2030-01-01T00:00:00Z"} | more


PAIRS = [pair("h1", "h2", 24e6), pair("h1", "h3", 12e6), pair("h2", "h3", 12e6)]
BLAMED = {
    "kind": "node",
    "names": ["h3"],
    "manner": "slow",
    "confidence": 0.998,
    "sentence": SENTENCE,
    "evidence": [{"nodes": ["h1", "h3"], "there": PAIRS[1]["there"], "back": PAIRS[1]["back"]}],
}


LINK = {"kind": "link", "names": ["h1", "h2"]}


def diagnosis(**more: Any) -> dict[str, Any]:
    fields = {"measure": "cause", "size_bytes": 4 << 20, "both_ways": False, "nodes": ["h1", "h2", "h3"]}
    verdict = {"decided": True, "rounds": 3, "sentence": SENTENCE, "blamed": [BLAMED], "cleared": ["h1"]}
    told = {"sentences": [SENTENCE, "h1 is good: it is fine with h2."], "undecided": [], "pairs": PAIRS}
    return fields | verdict | told | more


def answers(api: FakeApi, monkeypatch: pytest.MonkeyPatch, *nodes: dict[str, Any], **found: Any) -> None:
    monkeypatch.setattr("ringscope.cli.follow.POLL_SECONDS", 0)
    api.answers["GET /nodes"] = {"items": list(nodes) or [node("h1"), node("h2"), node("h3")], "next": None}
    ended = job(5, kind="diagnosis", spec=SPEC, state="succeeded", summary={"kind": "diagnosis"})
    api.answers["POST /jobs"] = Answer(ended, 201)
    api.answers["GET /jobs/5"] = ended
    api.answers["GET /jobs/5/diagnosis"] = diagnosis(**found)


def refused(done: Done, *words: str) -> None:
    assert (done.code, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert all(word in line for word in words), line


def sent(api: FakeApi) -> dict[str, Any]:
    (body,) = [asked.body for asked in api.asked if asked.method == "POST"]
    return dict(body)


def test_links_prints_both_matrices_and_the_slowest_pairs(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(api, monkeypatch, pairs=[*PAIRS[:2], PAIRS[2] | {"ending": "hung", "there": None, "back": None}])
    done = api.run("links", "--nodes", "h1,h2,h3", "--size", "1M", "--budget", "2m", "--both-ways")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[:5] == [
        "MB/s; each row sends to the columns.",
        "       h1     h2     h3",
        "h1      -     24     12",
        "h2     24      -  hangs",
        "h3     12  hangs      -",
    ]
    assert "Latency in us." in lines and SENTENCE in lines
    assert any(line.startswith("h1 to h3 reaches 12 MB/s (11.9 to 12.1), 67% of the median") for line in lines)
    spec = {"measure": "links", "size_bytes": 1 << 20, "budget_seconds": 120, "both_ways": True}
    assert sent(api) == {"kind": "diagnosis", "diagnosis": spec, "placement": {"node_names": ["h1", "h2", "h3"]}}


def test_links_per_rail_show_the_slowest_rail_of_each_pair_and_name_it(
    api: FakeApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = PAIRS[2] | {"ending": "hung", "there": None, "back": None, "latency_us": None}
    pairs = [
        *(pair("h1", other, 24e6, rail=rail) for rail in (0, 1) for other in ("h2", "h3")),
        *(cut, pair("h2", "h3", 24e6, rail=0), pair("h2", "h3", 12e6, rail=1, latency_us=90.0)),
    ]
    slots = [node(name, slots_total=2) for name in ("h1", "h2", "h3")]
    answers(api, monkeypatch, *slots, per="rail", pairs=[*pairs[:-2], pairs[-2] | {"rail": 1}, cut | {"rail": 0}])
    done = api.run("links", "--ranks-per-node", "2", "--per", "rail")
    assert done.code == 0, done.err
    assert done.out.splitlines()[4] == "h3     24 r1  hangs r0         -", done.out
    placement = {"node_names": ["h1", "h2", "h3"], "ranks_per_node": 2}
    assert sent(api) == {"kind": "diagnosis", "diagnosis": {"measure": "links", "per": "rail"}, "placement": placement}
    api.answers["GET /jobs/5/diagnosis"] = diagnosis(per="rail", pairs=pairs)
    lines = api.run("show", "5").out.splitlines()
    start = lines.index("MB/s of the slowest of 2 rails, with its number; each row sends to the columns.")
    assert lines[start + 2 : start + 5] == [
        "h1      -  24 r1  24 r1",
        "h2  24 r1      -  12 r1",
        "h3  24 r1  12 r1      -",
    ]
    assert "h2 rail 1 to h3 rail 1 reaches 12 MB/s (11.9 to 12.1), 50% of the median." in lines
    assert "h3  80 r1  90 r1      -" in lines and "Latency in us of the slowest of 2 rails, with its number." in lines
    api.answers["GET /jobs/5/diagnosis"] = diagnosis(per="rail", nodes=["h2", "h3"], pairs=pairs[-3:])
    lines = api.run("show", "5").out.splitlines()
    assert "h2 rail 0 to h3 rail 0: 24 MB/s (23.8 to 24.2)" in lines and "latency rail 1: 90 us" in lines


def test_rails_that_cannot_be_measured_are_refused_before_a_job(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(api, monkeypatch, node("h1", slots_total=4), node("h2", slots_total=2))
    refused(
        api.run("links", "--per", "rail"), "--ranks-per-node: --per rail takes the number of rails", "give 2 or more"
    )
    refused(api.run("links", "--per", "rail", "--ranks-per-node", "1"), "give 2 or more")
    refused(api.run("diagnose", "--ranks-per-node", "2"), "--ranks-per-node: one rank measures", "add --per rail")
    few = api.run("links", "--per", "rail", "--ranks-per-node", "4")
    refused(few, "--ranks-per-node: h2 has 2 of the 4 slots that it needs; lower it")
    refused(api.run("links", "--per", "gpu", "--ranks-per-node", "2"), "--per: give node or rail, not gpu.")
    refused(api.run("links", "--rail", "1"), "--rail", "add --history")
    assert not [asked for asked in api.asked if asked.method == "POST"]


def test_a_rail_is_named_in_the_evidence_and_in_the_json(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    evidence = [BLAMED["evidence"][0] | {"rail": 2}]
    answers(api, monkeypatch, blamed=[BLAMED | {"rail": 2, "evidence": evidence}])
    out = api.run("diagnose").out
    assert "Evidence against h3 rail 2, with" in out and "h1 rail 2 h3 rail 2" in out
    (blamed,) = json.loads(api.run("diagnose", "--json").out)["blamed"]
    assert (blamed["names"], blamed["rail"]) == (["h3"], 2)
    assert blamed["evidence"][0].startswith("h1 rail 2 to h3 rail 2 11.88 to 12.12 MB/s")


def test_links_of_two_nodes_begin_with_both_directions(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    way = {"low": 11.9e6, "high": 12.1e6, "spread": 0.01, "messages": 12}
    pairs = [PAIRS[0] | {"back": way}]
    open_sentence = "undecided: the measured pair is slow, and nothing shows which of its nodes is good"
    answers(api, monkeypatch, node("h1"), node("h2"), nodes=["h1", "h2"], pairs=pairs, sentence=open_sentence)
    lines = api.run("links").out.splitlines()
    assert lines[:3] == ["h1 to h2: 24 MB/s (23.8 to 24.2)", "h2 to h1: 12 MB/s (11.9 to 12.1)", "latency: 80 us"]
    assert lines[3] == open_sentence


def test_without_names_all_nodes_that_take_jobs_are_measured(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    others = node("h4", desired="drain"), node("h5", observed="lost")
    answers(api, monkeypatch, node("h1"), node("h2"), *others)
    done = api.run("links", "--json")
    assert sent(api)["placement"] == {"node_names": ["h1", "h2"]}
    assert json.loads(done.out)["job"] == 5 and json.loads(done.out)["pairs"] == PAIRS


def test_the_pairs_of_links_come_in_pages_and_a_verdict_without_those_that_were_measured(
    api: FakeApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(api, monkeypatch)
    api.answers["GET /jobs/5/diagnosis"] = [diagnosis(pairs=PAIRS[:2], next="Mg"), diagnosis(pairs=PAIRS[2:])]
    told = json.loads(api.run("links", "--json").out)
    assert told["pairs"] == PAIRS and "next" not in told
    assert [each.query.get("cursor") for each in api.asked if each.path == "/jobs/5/diagnosis"] == [None, ["Mg"]]
    api.answers["GET /jobs/5/diagnosis"] = diagnosis(pairs=[])
    assert api.run("diagnose").code == 0
    assert [each.query["without_measured"] for each in api.asked[-1:]] == [["true"]]


def test_diagnose_prints_the_verdict_first_and_then_the_evidence(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(api, monkeypatch)
    done = api.run("diagnose")
    lines = done.out.splitlines()
    assert done.code == 0 and lines[0] == SENTENCE
    assert "Evidence against h3, with a confidence of more than 99%:" in lines
    assert any("h1 h3" in line and "11.88 to 12.12" in line for line in lines)
    assert "h1 is good: it is fine with h2." in lines and lines.count(SENTENCE) == 1


def test_the_json_of_diagnose_has_exactly_its_fields(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(api, monkeypatch)
    found = json.loads(api.run("diagnose", "--json").out)
    assert list(found) == ["job", "decided", "rounds", "blamed", "cleared"]
    (blamed,) = found["blamed"]
    assert list(blamed) == ["kind", "names", "confidence", "evidence"] and blamed["names"] == ["h3"]
    assert blamed["evidence"] == ["h1 to h3 11.88 to 12.12 MB/s, h3 to h1 11.88 to 12.12 MB/s."]


def test_show_prints_the_links_of_a_diagnosis(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(api, monkeypatch)
    lines = api.run("show", "5").out.splitlines()
    assert "MB/s; each row sends to the columns." in lines and lines[-1] == SENTENCE


def test_a_named_node_that_is_lost_is_blamed_without_it(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = node("h3", observed="lost", observed_reason="No heartbeat for 20 s.")
    answers(api, monkeypatch, node("h1"), node("h2"), lost, blamed=[], sentence="Nothing is wrong.")
    found = json.loads(api.run("diagnose", "--nodes", "h1,h2,h3", "--json").out)
    assert sent(api)["placement"] == {"node_names": ["h1", "h2"]}
    assert [(each["kind"], each["names"]) for each in found["blamed"]] == [("node", ["h3"])]
    assert "No heartbeat for 20 s." in found["blamed"][0]["evidence"][0]


def test_the_nodes_and_the_size_can_be_those_of_a_job(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(api, monkeypatch)
    spec = {"kind": "benchmark", "benchmark": {"max_bytes": 64 << 20}}
    attempt = {"number": 1, "nodes": ["h1", "h3"]}
    api.answers["GET /jobs/3"] = job(3, spec=spec, attempts=[attempt])
    api.run("diagnose", "--job", "3")
    assert sent(api)["placement"] == {"node_names": ["h1", "h3"]}
    assert sent(api)["diagnosis"] == {"size_bytes": 64 << 20}
    refused(api.run("diagnose", "--job", "3", "--nodes", "h1"), "leave out one of them")


def test_the_history_of_a_link_is_listed_and_nothing_is_measured(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(api, monkeypatch)
    fields = {"nodes": ["h1", "h2"], "busbw_gb_per_s": 0.0243, "size_bytes": 4 << 20, "algorithm": "diagnosis"}
    link = fields | {"transport": "mpi", "job_id": 5, "measured_at": "2030-01-01T00:00:00Z"}
    api.answers["GET /links/h2/h1"] = {"items": [link, link | {"algorithm": "mpi"}], "next": None}
    heading, first, second = api.run("links", "--history", "--nodes", "h2,h1").out.splitlines()
    assert heading.split() == ["WHEN", "GB/S", "SIZE", "BY", "JOB"]
    assert first.split()[2:] == ["0.0243", "4", "MiB", "diagnosis", "5"] and "sendrecv" in second
    api.answers["GET /links/h2/h1"] = {"items": [link | {"rail": 1}], "rails": [0, 1], "next": None}
    assert len(api.run("links", "--history", "--nodes", "h2,h1", "--rail", "1").out.splitlines()) == 2
    assert api.asked[-1].query["rail"] == ["1"]
    told = api.run("links", "--history", "--nodes", "h2,h1").out.splitlines()[-1]
    assert told == "Rails 0 and 1 were measured alone; --rail 0 lists its measurements."
    refused(api.run("links", "--history"), "--history: a link has two nodes")
    assert not [asked for asked in api.asked if asked.method == "POST"]


def drains(api: FakeApi) -> list[tuple[str, str]]:
    return [(asked.path, dict(asked.body)["reason"]) for asked in api.asked if asked.path.endswith("/drain")]


def test_drain_gives_blamed_nodes_no_more_work_and_says_so(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = node("h4", observed="lost", observed_reason="No heartbeat for 20 s.")
    answers(api, monkeypatch, node("h1"), node("h2"), node("h3"), lost, blamed=[BLAMED, BLAMED | LINK])
    api.answers["POST /nodes/h3/drain"] = node("h3", desired="drain")
    api.answers["POST /nodes/h4/drain"] = node("h4", desired="drain")
    done = api.run("diagnose", "--drain", "--nodes", "h1,h2,h3,h4")
    assert done.code == 0, done.err
    assert drains(api) == [
        ("/nodes/h4/drain", "Diagnosis 5: h4 is lost: No heartbeat for 20 s."),
        ("/nodes/h3/drain", f"Diagnosis 5: {SENTENCE}"),
    ]
    assert "h3 is drained; `ringscope resume h3` gives it work again." in done.out
    assert "Nothing is drained for the link h1 and h2, because no node of it is blamed." in done.out


def test_without_drain_or_blame_no_node_is_drained(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(api, monkeypatch)
    api.run("diagnose")
    assert drains(api) == []
    answers(api, monkeypatch, blamed=[])
    assert "Nothing is drained, because nothing is blamed." in api.run("diagnose", "--drain").out
    assert drains(api) == []


def test_busy_nodes_are_waited_for_or_refused(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    busy = node("h2", slots_busy=1, slots=[{"slot": 0, "job_id": 4}])
    answers(api, monkeypatch, node("h1"), busy)
    refused(api.run("links", "--now"), "--now: h2 runs job 4; leave out --now to wait for it.")
    assert "Waits: h2 runs job 4." in api.run("links").err


def test_bad_input_is_one_sentence(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(api, monkeypatch)
    refused(api.run("links", "--nodes", "h1"), "two nodes at least", "only h1 is there")
    refused(api.run("links", "--nodes", "h1,h9"), "there is no node h9")
    refused(api.run("links", "--size", "big"), "--size")
    refused(api.run("links", "--budget", "soon"), "write for example 90s, 5m or 1h")


def test_the_slowest_are_named_first_and_the_others_counted() -> None:
    ways = [Way("a", f"b{number}", 1e9, 1e9) for number in range(9)]
    ways += [Way("a", f"c{number}", 1e8 * (1 + number), 1e8 * (1 + number)) for number in range(4)]
    told = slowest(ways)
    assert told[0].startswith("a to c0 reaches 0.1 GB/s") and told[-1] == "1 more are slower than 90% of the median."
    assert slowest(ways[:9]) == ["No pair is slower than 90% of the median, 1 GB/s."]
