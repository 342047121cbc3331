"""Published files of other tools are read as their printed cells say."""

import json
from typing import Any

import pytest
from tests.imports.published import Published, one, published

from ringscope.imports.files import read_file
from ringscope.imports.lines import MOST_BYTES
from ringscope.imports.model import Cell, Run

TABLES = [file for file in published() if file.path.parent.name != "osu"]


def value(cell: Cell | None) -> float | None:
    return None if cell is None else cell.value


def cells(run: Run) -> list[tuple[Any, ...]]:
    return [
        (
            *(row.size_bytes, row.in_place, row.dtype, row.redop, row.root),
            *(value(row.time_us), value(row.algbw), value(row.busbw), row.wrong, row.error),
        )
        for row in run.rows
    ]


def expected_cells(run: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (
            *(row["size"], place == "in_place", row["dtype"], row["redop"], row["root"]),
            *(told["time_us"], told["algbw"], told["busbw"], told.get("wrong"), told.get("error")),
        )
        for row in run["rows"]
        for place in ("out_of_place", "in_place")
        if (told := row[place]) is not None
    ]


@pytest.mark.parametrize("file", TABLES, ids=lambda file: file.path.stem)
def test_a_published_table_is_read_as_printed(file: Published) -> None:
    reading = read_file(file.content)
    is_refused = file.expected["must"].startswith("refuse") and "or import" not in file.expected["must"]
    if is_refused or "or refuse: no table" in file.expected["must"]:
        assert reading.refused is not None
        assert reading.refused.startswith("Line ")
        return
    assert reading.refused is None
    runs = [run for run in reading.runs if not run.refused]
    assert len(runs) == len(file.expected["runs"])
    for run, told in zip(runs, file.expected["runs"], strict=True):
        assert (run.collective, run.ranks) == (told["collective"], told["n_ranks"])
        assert cells(run) == expected_cells(told)
        is_cut = told["status"] == "truncated" or (told["footer"] or {}).get("mean", "").startswith("rows cut")
        assert run.partial or not is_cut
        assert run.failed or told["status"] != "failed"


@pytest.mark.parametrize("file", TABLES, ids=lambda file: file.path.stem)
def test_exactly_the_rows_that_contradict_themselves_are_flagged(file: Published) -> None:
    reading = read_file(file.content)
    told = {
        (flag["run"], size, place == "in_place")
        for flag in file.expected.get("flags", ())
        for size, place in flag.get("cells", ())
    }
    flagged = {
        (i, row.size_bytes, row.in_place)
        for i, run in enumerate(reading.runs)
        for row in run.rows
        if any("=" in flag for flag in row.flags)
    }
    assert flagged == told


def test_a_footer_that_is_the_mean_of_its_rows_makes_a_table_complete() -> None:
    for name in ("mpirun_tag_output_efa_noise", "pdf_squeezed_spaces_page_break_sockets", "srun_label_no_devices_na"):
        assert not any(run.partial for run in read_file(one(name).content).runs), name


def test_a_crash_is_told_with_its_line() -> None:
    reading = read_file(one("crash_devices_busy").content)
    assert reading.refused is not None
    assert reading.refused.startswith("Line 14: the run crashed before its first row: box-1-1: Test CUDA failure")
    assert [(run.ranks, run.failed, run.rows) for run in reading.runs] == [(8, True, [])]


def test_isolated_worlds_are_told() -> None:
    reading = read_file(one("milliseconds_2018_isolated_worlds").content)
    assert reading.refused is not None and "2 worlds of one rank each" in reading.refused


def test_a_node_without_results_is_named() -> None:
    second = read_file(one("results_summary").content).runs[1]
    assert second.refused == "Line 2: node sb-validation-02 has no result of a collective (return code 1)."


def test_a_csv_whose_header_is_short_is_flagged() -> None:
    (run,) = read_file(one("csv_header_one_column_short").content).runs
    assert run.rows[0].flags and not run.rows[0].counts


def test_osu_latencies_have_no_bandwidth_and_its_bandwidth_no_collective() -> None:
    (run,) = read_file(one("osu_allreduce_144_ranks").content).runs
    told = one("osu_allreduce_144_ranks").expected["runs"][0]
    assert [(r.size_bytes, value(r.time_us)) for r in run.rows] == [(r["size"], r["latency_us"]) for r in told["rows"]]
    assert (run.collective, run.ranks) == ("all_reduce", 144)
    assert not any(row.algbw or row.busbw for row in run.rows)
    (pair,) = read_file(one("osu_bw_one_size").content).runs
    assert (pair.collective, pair.test, pair.ranks) == (None, "Bandwidth", 2)
    assert value(pair.rows[0].algbw) == pytest.approx(12.25416)
    assert [value(run.rows[0].time_us) for run in read_file(one("osu_allreduce_full_two_runs").content).runs] == [
        8630.58,
        7327.25,
    ]


def test_the_network_and_the_variables_of_a_log_are_kept_but_no_secret() -> None:
    (run,) = read_file(one("pdf_squeezed_spaces_page_break_sockets").content).runs
    assert (run.machine.networks, run.machine.environment) == (["Socket"], {"NCCL_IB_DISABLE": "1"})
    (other,) = read_file(one("synthetic_v3_per_iter").content).runs
    assert other.machine.environment == {}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\n \n", "empty"),
        (b"hello\n", "no result of"),
        (b"a line\n\x7fELF\x00\x01\x02", "Line 2: the file is binary"),
        (b"x" * (MOST_BYTES + 1), "at most 8 MiB"),
        (b"\n" * 500_001, "more than 500,000 lines"),
        (b"[" * 100_000, "no result of"),
        (b'{"results":' + b"[" * 100_000 + b'"config"', "Line 1"),
    ],
)
def test_what_is_no_result_is_refused_in_a_sentence(content: bytes, words: str) -> None:
    reading = read_file(content)
    assert reading.refused is not None and words in reading.refused
    assert reading.refused.endswith(".")


def test_a_text_of_powershell_is_read() -> None:
    file = one("mpirun_tag_output_efa_noise")
    (run,) = read_file(file.content.decode().encode("utf-16")).runs
    assert cells(run) == expected_cells(file.expected["runs"][0])


def wrapped(name: str, before: str = "", after: str = "") -> bytes:
    return "".join(f"{before}{line}{after}\n" for line in one(name).content.decode().splitlines()).encode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- ", ""),
        ("> ", ""),
        ("\t", "\t"),
        ("", " | |"),
        ("Thu Nov 28 10:10:10 2026[1,0]<stdout>:", ""),
        ("[2026-11-28 10:10:10] node-a app[123]: ", ""),
        ("0:", ""),
    ],
)
def test_what_stands_around_every_line_does_no_harm(before: str, after: str) -> None:
    name = "alltoall_then_sendrecv_double"
    reading = read_file(wrapped(name, before, after))
    assert [cells(run) for run in reading.runs] == [expected_cells(run) for run in one(name).expected["runs"]]
    assert not any(run.partial for run in reading.runs)


def test_labels_inside_a_line_do_no_harm() -> None:
    """Open MPI writes its tag before each piece that a process prints, also in the middle of a row."""
    file = one("mpirun_tag_output_efa_noise")
    text = file.content.decode().replace("      0  ", "      0[0] ").replace("[1,0]<stdout>:", "[0] ")
    (run,) = read_file(text.encode()).runs
    assert cells(run) == expected_cells(file.expected["runs"][0])


def test_the_log_of_docker_is_unwrapped() -> None:
    name = "alltoall_then_sendrecv_double"
    lines = one(name).content.decode().splitlines()
    text = "".join(json.dumps({"log": f"{line}\n", "stream": "stdout", "time": "2026"}) + "\n" for line in lines)
    reading = read_file(text[:-20].encode())
    assert [cells(run) for run in reading.runs] == [expected_cells(run) for run in one(name).expected["runs"]]


def test_two_worlds_in_one_file_are_told() -> None:
    text = one("alltoall_then_sendrecv_double").content.decode()
    first = text.partition("\n\n")[0] + "\n"
    devices = "".join(
        f"#  Rank {i % 2:2d} Group  0 Pid {i} on node-{i // 2} device {i % 2:2d} [0x1b] GPU\n" for i in range(4)
    )
    mixed = first.replace("# Using devices\n", f"# Using devices\n{devices}")
    mixed = "\n".join(line for line in mixed.splitlines() if "nodeab" not in line) + "\n"
    run = read_file(mixed.encode()).runs[0]
    assert run.ranks == 2
    assert any("2 worlds that did not know of each other" in note for note in run.notes)
