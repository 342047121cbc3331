"""A judgement is right about published runs that are not in the data file, and says what it is based on."""

from dataclasses import replace

import pytest
from tests.expected.runs import CASES, Case, judgement

from ringscope.expected.facts import Facts, Point, gpu_class, network_of, parse_cards
from ringscope.expected.judgement import VERSION, Judgement, judge
from ringscope.expected.published import Source, parse, published
from ringscope.imports.judged import Given, judged
from ringscope.imports.model import Cell

GIB = 1 << 30
NODE = Facts(gpu="NVIDIA H100 80GB HBM3", ranks=8, nodes=1, collective="all_reduce")
PAIR = replace(NODE, ranks=16, nodes=2)


def points(*values: float, first: int = GIB) -> list[Point]:
    return [Point(first << i, False, value, value - 0.005, value + 0.005) for i, value in enumerate(values)]


def judged_as(facts: Facts, *values: float) -> Judgement:
    return judge(facts, points(*values), published())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path.stem)
def test_published_runs_that_are_not_in_the_data_file(case: Case) -> None:
    found = judgement(case.read(), case.given)
    assert found.word.partition(" by ")[0] == case.word, found.sentence


def test_no_healthy_run_is_called_low() -> None:
    assert not [case for case in CASES if case.is_healthy and judgement(case.read(), case.given).word.startswith("low")]


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.word == "as expected"], ids=lambda case: case.path.stem
)
def test_the_same_run_is_low_if_it_is_40_percent_slower(case: Case) -> None:
    run = case.read()
    for row in run.rows:
        if row.busbw is not None:
            row.busbw = Cell(row.busbw.value * 0.6, row.busbw.half)
    found = judged(run, case.given, published())
    assert found.word.startswith("low by ") and found.word.endswith(" %"), found.sentence


def test_a_judgement_is_a_function_of_its_inputs_and_states_its_version() -> None:
    one, other = (judged_as(NODE, 465.0, 470.0).document() for _ in range(2))
    assert one == other
    assert one["version"] == VERSION
    assert {reference["kind"] for reference in one["references"]} == {"limit", "model", "published"}  # type: ignore[attr-defined]


def test_more_than_the_links_carry_is_impossible() -> None:
    found = judged_as(NODE, 465.0, 950.0)
    assert found.word == "impossible"
    assert "the links carry at most 700 GB/s" in found.sentence
    assert "on the wire it would be 610.7 GB/s" in found.sentence


def test_more_than_published_is_above_what_was_expected() -> None:
    assert judged_as(NODE, 620.0, 640.0).word == "above what was expected"


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (replace(NODE, gpu=None), "the GPU (--gpu)"),
        (replace(NODE, gpu="GeForce RTX 4090"), "GeForce RTX 4090 is not"),
        (replace(NODE, collective=None), "the collective (--collective)"),
        (replace(NODE, nodes=None), "the number of nodes (--nodes)"),
        (replace(NODE, ranks=None), "the number of ranks"),
        (replace(NODE, ranks=48, nodes=6), "number and rate of the cards"),
    ],
)
def test_unknown_says_which_fact_is_missing(facts: Facts, words: str) -> None:
    found = judged_as(facts, 465.0)
    assert found.word == "unknown"
    assert words in found.sentence


def test_sockets_between_nodes_are_told_first() -> None:
    facts = replace(PAIR, network="sockets", environment={"NCCL_IB_DISABLE": "1"})
    found = judged_as(facts, 2.4, 2.5)
    assert found.word == "low by 99 %"
    assert "went over TCP sockets because NCCL_IB_DISABLE is 1." in found.sentence
    assert "Likely causes" not in found.sentence


def test_a_node_without_nvls_is_compared_with_rings() -> None:
    found = judged_as(replace(NODE, nvls=False, environment={"NCCL_ALGO": "Ring"}), 365.0, 368.0)
    assert found.word == "as expected"
    assert "NVLS off" in found.sentence


def test_one_card_of_eight_is_told() -> None:
    facts = replace(PAIR, cards=8, card_gbit=400.0, network="rdma", environment={"NCCL_IB_HCA": "mlx5_0"})
    found = judged_as(facts, 46.0, 47.0)
    assert found.word.startswith("low by ")
    assert "NCCL_IB_HCA names 1 of the 8 cards of a node." in found.sentence


def test_small_sizes_do_not_decide_where_large_ones_are_known() -> None:
    slow = [*points(0.5, 0.9, first=64 << 10), *points(465.0, 470.0)]
    found = judge(NODE, slow, published())
    assert found.word == "as expected"
    assert "Sizes from 64 KiB to 128 KiB are lower than published ones" in found.sentence


def own(busbw: float) -> Source:
    (source,) = parse(
        f"""
        [[source]]
        id = "ours"
        url = "our wiki"
        date = "2026-11-01"
        date_of = "source"
        tool = "nccl-tests"
        library = "NCCL"
        version = "2.29.2"
        gpu = "H100"
        nodes = 1
        ranks = 8
        collective = "all_reduce"
        placement = "out of place"
        dtype = "float"
        machine = "our nodes"
        rows = [[{GIB}, {busbw}], [{4 * GIB}, {busbw}]]
        """,
        site=True,
    )
    return source


def test_own_runs_come_before_published_ones() -> None:
    found = judge(NODE, points(465.0, 470.0), [*published(), own(250.0)])
    assert found.word == "above what was expected"
    assert "own runs suggest" in found.sentence


def test_rows_without_bandwidth_are_unknown() -> None:
    assert judge(NODE, [], published()).word == "unknown"


def test_the_wire_is_told_where_the_switch_reduces() -> None:
    (size,) = judged_as(NODE, 480.0).sizes
    assert size.wire_gb_per_s == pytest.approx(480 / 1.75 * 9 / 8)
    (ring,) = judged_as(replace(NODE, nvls=False), 360.0).sizes
    assert ring.wire_gb_per_s is None


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("NVIDIA H100 80GB HBM3", "H100"),
        ("NVIDIA A100-SXM4-40GB", "A100"),
        ("NVIDIA A100-PCIE-40GB", "A100-PCIE"),
        ("Tesla V100-SXM3-32GB", "V100"),
        ("NVIDIA GB200", "GB200"),
        ("NVIDIA B200", "B200"),
        ("AMD Instinct MI300X", "MI300X"),
        ("GPU X", None),
        (None, None),
    ],
)
def test_a_gpu_has_a_class_by_its_name(name: str | None, known: str | None) -> None:
    assert gpu_class(name) == known


def test_networks_and_cards_are_read_from_what_people_write() -> None:
    assert network_of(["IB"], {}) == "rdma"
    assert network_of(["Socket"], {}) == "sockets"
    assert network_of(["FasTrak"], {}) == "tcpxo"
    assert network_of([], {}) is None
    assert parse_cards("8x400G") == (8, 400.0)
    with pytest.raises(ValueError, match="8x400G"):
        parse_cards("eight")


def test_a_fact_of_the_user_comes_before_that_of_the_file() -> None:
    run = CASES[0].read()
    assert judgement(run, Given(gpu="A100")).word == "impossible"
