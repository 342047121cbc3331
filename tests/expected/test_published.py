"""Every published row states its source, date and conditions, and none is above what its links carry."""

from datetime import date

import pytest

from ringscope.expected.facts import Facts, gpu_class
from ringscope.expected.published import Source, parse, published, search
from ringscope.expected.references import MIB, interpolated, limit, model

SOURCES = published()


def facts(source: Source) -> Facts:
    return Facts(
        gpu=source.gpu,
        ranks=source.ranks,
        nodes=source.nodes,
        collective=source.collective,
        network=source.network,
        cards=source.cards,
        card_gbit=source.card_gbit,
        nvls=source.nvls,
    )


def test_there_are_enough_rows_of_each_class() -> None:
    assert sum(len(source.rows) for source in SOURCES) >= 60
    assert {"A100", "H100", "H200", "B200", "GB200", "MI300X", "V100"} <= {source.gpu for source in SOURCES}
    collectives = {source.collective for source in SOURCES}
    assert {"all_reduce", "all_gather", "reduce_scatter", "alltoall", "sendrecv"} <= collectives
    assert {1, 2, 4, 12} <= {source.nodes for source in SOURCES}


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.id)
def test_a_row_states_source_date_and_conditions(source: Source) -> None:
    assert source.url.startswith("https://")
    day = date.fromisoformat(source.date if len(source.date) > 7 else f"{source.date}-01")
    assert date(2015, 1, 1) < day < date(2100, 1, 1)
    assert all((source.tool, source.library, source.version, source.machine, source.placement, source.dtype))
    assert gpu_class(source.gpu) == source.gpu
    assert source.ranks % source.nodes == 0
    assert source.gpus_per_node == source.ranks // source.nodes
    assert source.nodes == 1 or source.network, "between nodes the network decides"


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.id)
def test_no_row_is_above_its_limit(source: Source) -> None:
    for size_bytes, busbw in source.rows:
        most = limit(facts(source), size_bytes)
        assert most is None or busbw <= most.value


def test_nine_of_ten_rows_are_within_the_error_that_the_model_states() -> None:
    found = [
        reference.low <= busbw <= reference.high
        for source in SOURCES
        for size_bytes, busbw in source.rows
        if (reference := model(facts(source), size_bytes)) is not None
    ]
    assert len(found) >= 40
    assert sum(found) >= 0.9 * len(found)


def test_interpolation_stays_between_published_sizes() -> None:
    rows = ((MIB, 10.0), (4 * MIB, 40.0))
    assert interpolated(rows, 2 * MIB) == pytest.approx(20.0)
    assert interpolated(rows, MIB) == pytest.approx(10.0)
    assert interpolated(rows, 4 * MIB) == pytest.approx(40.0)
    assert interpolated(rows, MIB - 1) is None
    assert interpolated(rows, 4 * MIB + 1) is None


def test_sources_are_found_by_their_words() -> None:
    assert {one.gpu for one in search(SOURCES, ["mi300x"])} == {"MI300X"}
    assert search(SOURCES, ["h100", "16 ranks"])
    assert not search(SOURCES, ["no such"])


COMPLETE = {
    "id": '"a"',
    "url": '"https://example.org"',
    "date": '"2026-01-02"',
    "date_of": '"source"',
    "tool": '"nccl-tests"',
    "library": '"NCCL"',
    "version": '"2.29"',
    "gpu": '"H100"',
    "nodes": "1",
    "ranks": "8",
    "collective": '"all_reduce"',
    "placement": '"in place"',
    "dtype": '"float"',
    "machine": '"ours"',
    "rows": "[[1024, 1.0]]",
}


def text(**changes: str | None) -> str:
    told = {**COMPLETE, **changes}
    return "[[source]]\n" + "\n".join(f"{key} = {value}" for key, value in told.items() if value is not None)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("", "no [[source]]"),
        ("[[", "not valid TOML"),
        (text(url=None), "lacks url"),
        (text(version='""'), "lacks version"),
        (text(date='"yesterday"'), "the date 'yesterday'"),
        (text(gpu='"Voodoo"'), "no known class of GPU"),
        (text(rows="[]"), "rows are missing"),
        (text(rows="[[2, 1.0], [1, 1.0]]"), "do not rise"),
        (text(rows="[[0, 1.0]]"), "not above 0"),
        (text(rows='[["1K", 1.0]]'), "a row is [size in bytes"),
        (text(colour='"red"'), "unknown key colour"),
        (text() + "\n" + text(), "the same id"),
    ],
)
def test_an_incomplete_source_is_refused_in_a_sentence(broken: str, words: str) -> None:
    with pytest.raises(ValueError) as refused:
        parse(broken)
    assert words in str(refused.value)


def test_a_complete_source_is_read() -> None:
    (one,) = parse(text())
    assert one.rows == ((1024, 1.0),)
