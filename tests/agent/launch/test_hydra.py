import pytest

from ringscope.contracts.protocol import GangMember, Proxy
from ringscope_agent.launch.hydra import (
    Demultiplexer,
    ExitReport,
    RankEnd,
    host_names,
    is_abort,
    is_banner,
    is_proxy_complaint,
    parse_launch_line,
)

LAUNCH_LINE = (
    "HYDRA_LAUNCH: /opt/venv/bin/hydra_pmi_proxy --control-port 10.0.0.1:36037 --rmk user --launcher manual "
    "--demux poll --pgid 0 --retries 10 --usize -1 --pmi-port 0 --gpus-per-proc -2 --gpu-subdevs-per-proc -2 "
    "--proxy-id 3 "
)


def test_a_launch_line_gives_its_three_numbers() -> None:
    assert parse_launch_line(LAUNCH_LINE) == Proxy(control_host="10.0.0.1", control_port=36037, proxy_id=3)


@pytest.mark.parametrize("line", ["HYDRA_LAUNCH_END", "", "HYDRA_LAUNCH: /bin/hydra_pmi_proxy --proxy-id 3"])
def test_other_lines_are_no_launch_lines(line: str) -> None:
    assert parse_launch_line(line) is None


STREAM = (
    b"HYDRA_LAUNCH_END\n\x1e0\x1fhello \x1e1\x1fab\n\x1e1\x1fcd\x1e0\x1fworld\n\n\x1e1\x1f\n[mpiexec@h] bye\n"
    b"\x1e12\x1flast"
)
LINES = [
    (None, "HYDRA_LAUNCH_END"),
    (1, "ab"),
    (0, "hello world"),
    (1, "cd"),
    (None, "[mpiexec@h] bye"),
    (12, "last"),
]


@pytest.mark.parametrize("piece", [1, 2, 3, 7, len(STREAM)])
def test_interleaved_chunks_become_whole_lines_of_each_rank(piece: int) -> None:
    lines = Demultiplexer()
    found = [line for start in range(0, len(STREAM), piece) for line in lines.feed(STREAM[start : start + piece])]
    assert [*found, *lines.close()] == LINES


def test_a_line_without_end_is_cut() -> None:
    lines = Demultiplexer()
    found = list(lines.feed(b"\x1e4\x1f" + b"x" * 20_000 + b"\n"))
    assert [rank for rank, _ in found] == [4]
    assert len(found[0][1]) == 8192


def gang() -> list[GangMember]:
    return [
        GangMember(node="a", address="10.0.0.1", slots=2),
        GangMember(node="b", address="10.0.0.2", slots=2),
    ]


def test_wait_statuses_become_the_ends_of_ranks() -> None:
    report = ExitReport(gang())
    report.read("[mpiexec@a] Exit codes: [10.0.0.1] 0,0 [10.0.0.2] 9,768")
    assert report.ends == [RankEnd(2, -9), RankEnd(3, 3)]


def test_each_nodes_exit_codes_may_have_a_line_of_their_own() -> None:
    report = ExitReport(gang())
    for line in ("[mpiexec@a] Exit codes: [10.0.0.1] 0,0", "[10.0.0.2] 0,9", "[10.0.0.2] said 9", "[proxy] 9"):
        report.read(line)
    assert report.ends == [RankEnd(3, -9)]


def test_the_banner_gives_pid_and_signal() -> None:
    report = ExitReport(gang())
    report.read("=   PID 6656 RUNNING AT 10.0.0.2")
    report.read("YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)")
    assert (report.failed_pid, report.failed_address, report.signal) == (6656, "10.0.0.2", 9)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("===================================================================================", True),
        ("=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES", True),
        ("=   PID 4711 RUNNING AT n1", True),
        ("=   EXIT CODE: 15", True),
        ("=   CLEANING UP REMAINING PROCESSES", True),
        ("=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES", True),
        ("YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Terminated (signal 15)", True),
        ("This typically refers to a problem with your application.", True),
        ("Please see the FAQ page for debugging suggestions", True),
        ("[mpiexec@n1] Exit codes: [n1] 15,15", False),
        ("=== epoch 1 ===", False),
    ],
)
def test_the_words_about_a_program_that_a_signal_ended_are_known(line: str, expected: bool) -> None:
    assert is_banner(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "[proxy:0@n1] HYD_pmcd_pmip_control_cmd_cb (proxy/pmip_cb.c:490): assert (!closed) failed",
        "[proxy:0@n1] HYDT_dmxu_poll_wait_for_event (demux_poll.c:76): callback returned error status",
        "[proxy:0@n1] main (proxy/pmip.c:123): demux engine error waiting for event",
    ],
)
def test_the_words_of_a_proxy_whose_ranks_are_gone_are_known(line: str) -> None:
    assert is_proxy_complaint(line)
    assert not is_proxy_complaint(line.replace("error", "fault").replace("assert", "cannot"))


def test_the_words_of_mpi_about_a_rank_that_ends_all_are_known() -> None:
    line = "Abort(1) on node 1 (rank 1 in comm 0): application called MPI_Abort(MPI_COMM_WORLD, 1) - process 1"
    assert is_abort(line)
    assert not is_abort(line.replace("1) - ", "3) - ").replace("Abort(1)", "Abort(3)", 1))


def test_members_with_one_address_are_two_hosts_to_hydra() -> None:
    members = [GangMember(node=node, address="127.0.0.1", slots=2) for node in ("a", "b")]
    members.append(GangMember(node="c", address="10.0.0.3", slots=2))
    assert host_names(members) == ["127.0.0.1.0", "127.0.0.1.1", "10.0.0.3"]
    report = ExitReport(members)
    report.read("[mpiexec@a] Exit codes: [127.0.0.1.0] 0,0 [127.0.0.1.1] 0,9 [10.0.0.3] 0,0")
    assert report.ends == [RankEnd(3, -9)]


@pytest.mark.parametrize("piece", [1, 5, 1000])
def test_of_a_line_that_is_drawn_again_only_the_last_state_is_a_line(piece: int) -> None:
    stream = b"".join(b"\x1e2\x1f\r%3d%% %s" % (percent, b"#" * 40) for percent in range(100)) + b"\x1e2\x1f\rdone\n"
    lines = Demultiplexer()
    found = [line for start in range(0, len(stream), piece) for line in lines.feed(stream[start : start + piece])]
    assert found == [(2, "done")]
    assert [*lines.close(), *lines.redrawn()] == []


def test_the_newest_state_of_a_line_is_told_once_and_a_line_that_only_lacks_its_end_never() -> None:
    lines = Demultiplexer()
    assert list(lines.feed(b"\x1e0\x1fwait\x1e2\x1f 10%\r 20%\r\x1e1\x1f\r  1/7")) == []
    assert list(lines.redrawn()) == [(1, "  1/7"), (2, " 20%")]
    assert list(lines.redrawn()) == []
    assert list(lines.feed(b"\x1e0\x1f ...\r\n\x1e2\x1f   \r\n")) == [(0, "wait ..."), (2, " 20%")]
