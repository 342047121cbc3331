"""Every prediction on docs/planner.md is what the model says now, from the links in its row and nothing else."""

import re
from math import ceil
from pathlib import Path
from statistics import median

import pytest

from ringscope.cli.commands.plan import ACCURACY, plan
from ringscope.contracts.cluster import ClusterSpec
from ringscope.contracts.words.topology import PRESETS
from ringscope.contracts.words.units import parse_size
from ringscope.cost.nccl_model import ARCHITECTURES, machine_of, predictions
from ringscope.cost.prices import prices

PAGE = (Path(__file__).parents[2] / "docs" / "planner.md").read_text()
Row = dict[str, str]


def tables() -> list[list[Row]]:
    """Return each table's rows, by the words of its heading."""
    found = []
    for table in re.findall(r"(?:^\|.*\n)+", PAGE, re.MULTILINE):
        heading, _, *lines = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.splitlines()]
        found.append([dict(zip(heading, line, strict=True)) for line in lines])
    return found


MACHINES, CURVE, SCHEDULES, LINKS = tables()


def by_nccl(row: Row) -> tuple[str, float]:
    """(algorithm and protocol, bus bandwidth in GB/s) of what NCCL would take, without NVLS where the row says so."""
    intra, _, inter = row["links"].partition(", ")
    where = ClusterSpec(shape=row["shape"], intra=intra, link=inter or "ib400")
    machine, size_bytes = machine_of(where.topology, ARCHITECTURES[intra]), parse_size(row["size"])
    is_off = row.get("asked for") == "NVLS off"
    way = next(way for way in predictions(machine, size_bytes) if not (is_off and way.algorithm.startswith("NVLS")))
    return f"{way.algorithm}/{way.protocol}", size_bytes / way.time_us / 1e3 * 2 * (1 - 1 / machine.ranks)


def check(row: Row, predicted: float) -> None:
    assert (row["predicted"], row["error"]) == (f"{predicted:.1f}", f"{predicted / float(row['published']) - 1:+.1%}")


@pytest.mark.parametrize("row", MACHINES, ids=lambda row: f"{row['machine']} {row['asked for']} {row['published']}")
def test_machines(row: Row) -> None:
    way, predicted = by_nccl(row)
    assert row["takes"] == way
    check(row, predicted)
    assert row["source"].startswith("[")


@pytest.mark.parametrize("row", CURVE, ids=lambda row: row["size"])
def test_curve(row: Row) -> None:
    way, predicted = by_nccl(row | {"shape": "1x8", "links": "nvlink4"})
    assert row["takes"] == way
    check(row, predicted)


@pytest.mark.parametrize("row", SCHEDULES, ids=lambda row: f"{row['machine']} {row['schedule']}")
def test_schedules(row: Row) -> None:
    intra, _, inter = row["links"].partition(", ")
    where = ClusterSpec(shape=row["shape"], intra=intra, link=inter or "ib400")
    (price,) = prices([row["schedule"]], parse_size(row["size"]), where.topology)
    check(row, price.busbw_gb_per_s)


def test_the_page_says_how_far_off_it_is() -> None:
    errors = [abs(error(row)) for row in MACHINES + CURVE]
    said = re.search(r"median of ([\d.]+) %, at most ([\d.]+) %", PAGE)
    assert said is not None
    assert (float(said[1]), float(said[2])) == (round(median(errors), 1), max(errors))


def test_the_page_says_where_it_is_how_far_off() -> None:
    on_full_nodes = [row for row in MACHINES if row["shape"] == "1x8"] + CURVE
    between_nodes = [error(row) for row in MACHINES if not row["shape"].startswith("1x")]
    large = [abs(error(row)) for row in on_full_nodes if parse_size(row["size"]) >= parse_size("256 MiB")]
    short = [abs(error(row)) for row in CURVE if parse_size(row["size"]) <= parse_size("1 MiB")]
    words = " ".join(PAGE.split())
    assert f"On full nodes messages of 256 MiB and more are within {ceil(max(large))} %." in words
    assert f"between {round(-min(between_nodes))} % below and {round(max(between_nodes))} % above what was" in words
    assert f"Messages of up to 1 MiB are within {ceil(max(short))} %, middle ones the worst." in words


def error(row: Row) -> float:
    return float(row["error"].strip("%"))


def test_every_link_is_there_with_its_figures_and_their_source() -> None:
    assert [
        {
            "link": name,
            "rate": f"{link.bytes_per_s / 1e9:g} GB/s",
            "latency": f"{link.latency_s * 1e6:g} us",
            "where from": source,
        }
        for name, (link, source) in PRESETS.items()
    ] == LINKS


def test_whoever_plans_is_told_that_latencies_between_nodes_are_recalled() -> None:
    between = [row for row in LINKS if not row["link"].startswith("nvlink")]
    assert all(row["where from"].endswith("[R]") for row in between), "else the page and the help say too much"
    assert "so is every latency between nodes" in PAGE
    assert "latencies between nodes are recalled" in " ".join((plan.__doc__ or "").split())


def test_the_machines_that_people_rent_are_there() -> None:
    """No figures of four H100 are published; four H200 have the same NVLink and stand for them."""
    assert {row["machine"] for row in MACHINES} >= {"8x A100", "8x H100", "4x H200", "2x 8x H100", "4x 8x B200"}
    assert [row["size"] for row in CURVE] == [
        *(f"{32 << i} KiB" for i in range(5)),
        *(f"{1 << i} MiB" for i in range(10)),
        *(f"{1 << i} GiB" for i in range(5)),
    ]


def test_who_plans_is_told_how_far_off_it_is() -> None:
    """The command line and the page give the planner's error with the figures of this document."""
    median_error = re.search(r"the error has a median of ([\d.]+ %)", PAGE)
    of_nvlink = re.search(r"of NVLink it gets (about \d+ %)", PAGE)
    assert median_error and of_nvlink
    page = (Path(__file__).parents[2] / "frontend" / "src" / "pages" / "plan" / "PriceTable.tsx").read_text()
    for figure in (median_error[1], f"{of_nvlink[1]} on NVLink"):
        assert figure in ACCURACY and figure in page
    assert "docs/planner.md" in ACCURACY and "docs/planner.md" in page
