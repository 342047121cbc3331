"""Logs of NCCL 2.4 to 2.28 are read and explained."""

import json
from pathlib import Path

import pytest

from ringscope.imports.lines import NotTextError
from ringscope.nccl_log.reading import Log, read
from ringscope.nccl_log.remarks import classes, remarks
from ringscope.nccl_log.sentences import answer, chain
from ringscope.nccl_log.transports import GPUDIRECT, NETWORK, P2P, SHM, SOCKET, card_of, class_of

HERE = Path(__file__).parent
WRITTEN = sorted((HERE / "written").glob("*.txt"))
EXPECTED: dict[str, tuple[str, list[str], set[str]]] = {
    "v2_4_sockets": ("2.4.7+cuda9.2", ["sockets"], {SOCKET}),
    "v2_5_mpirun_shared_memory": ("2.5.6+cuda10.2", ["shared_memory"], {SHM}),
    "v2_5_infiniband": ("2.5.7+cuda10.1", ["unused_cards"], {P2P, GPUDIRECT}),
    "v2_8_roce": ("2.8.3+cuda10.2", [], {P2P, GPUDIRECT}),
    "v2_9_efa_without_prefix": ("2.9.9+cuda11.3", [], {P2P, GPUDIRECT}),
    "v2_10_one_node": ("2.10.3+cuda11.1", ["incomplete"], {P2P}),
    "v2_18_no_device_beside_infiniband": ("2.18.1+cuda12.1", ["sockets"], {P2P, SOCKET}),
    "v2_18_infiniband_disabled": ("2.18.5+cuda12.2", ["sockets", "shared_memory"], {SHM, SOCKET}),
    "v2_19_shared_memory_and_sockets": ("2.19.3+cuda12.3", ["sockets", "shared_memory"], {SHM, SOCKET}),
    "v2_20_gpudirect": ("2.20.5+cuda12.4", [], {P2P, GPUDIRECT}),
    "v2_21_without_gpudirect": ("2.21.5+cuda12.4", ["no_gpudirect", "unused_cards"], {P2P, NETWORK}),
    "v2_22_plugin": ("2.22.3+cuda12.6", ["no_gpudirect"], {P2P, NETWORK}),
    "v2_27_with_time": ("2.27.7+cuda13.0", [], {P2P, GPUDIRECT}),
    "v2_28_ray_nvls": ("2.28.3+cuda13.0", [], {P2P}),
}
# What must be read from parts of logs that reports quote: version, ranks, channels with a ring, remarks, classes.
Part = tuple[str | None, int | None, int, list[str], set[str]]
PARTS: dict[str, Part] = {
    "nccl_147": (None, None, 0, ["incomplete"], {P2P}),
    "nccl_226": (None, 64, 0, ["sockets", "incomplete"], {SOCKET}),
    "nccl_302": (None, None, 0, ["incomplete"], {P2P}),
    "nccl_340": ("2.5.7+cudaCUDA_MAJOR.CUDA_MINOR", None, 0, ["warnings"], set()),
    "nccl_487": (None, 16, 2, ["incomplete"], set()),
    "nccl_606": ("2.11.4+cuda11.1", 2, 4, [], set()),
    "nccl_1052": ("2.18.5+cuda12.0", None, 0, [], set()),
    "nccl_1053": (None, None, 0, ["sockets"], set()),
    "nccl_1189": (None, 4, 0, ["incomplete"], {P2P, GPUDIRECT}),
    "nccl_1232": (None, None, 0, ["sockets", "shared_memory", "incomplete"], {SHM, SOCKET}),
    "nccl_1291": (None, 2, 1, ["incomplete"], set()),
    "nccl_tests_133": ("2.10.3+cuda11.0", 16, 1, ["incomplete"], {P2P, GPUDIRECT}),
    "nccl_tests_252": ("2.21.5+cuda12.4", 8, 0, ["incomplete"], {P2P, GPUDIRECT}),
    "nccl_tests_287": ("2.25.1+cuda12.8", None, 0, ["sockets"], set()),
    "open_gpu_kernel_modules_35": ("2.26.2+cuda12.8", 2, 0, ["incomplete"], set()),
}


def log_of(name: str) -> Log:
    return read([(HERE / f"{name}.txt").read_bytes()])


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_each_version_is_read(path: Path) -> None:
    version, kinds, known = EXPECTED[path.stem]
    log = read([path.read_bytes()])
    (one,) = log.communicators
    assert log.versions == [version]
    assert (one.size, one.is_closed, len(one.edges)) == (4, True, 4 * (one.channels or 0))
    assert chain(one) == [0, 1, 2, 3]
    assert [remark.kind for remark in remarks(log)] == kinds
    assert set(classes(one)) == known


@pytest.mark.parametrize("path", sorted((HERE / "excerpts").glob("*.txt")), ids=lambda path: path.stem)
def test_the_quoted_part_of_a_published_log_is_read(path: Path) -> None:
    version, size, rings, kinds, known = PARTS[path.stem]
    log = read([path.read_bytes()])
    assert log.versions == ([version] if version else [])
    assert [remark.kind for remark in remarks(log)] == kinds
    one = log.communicators[0] if log.communicators else None
    assert (one.size, len(one.rings), set(classes(one))) == (size, rings, known) if one else (size, rings) == (None, 0)
    assert one is None or not one.rings or one.is_closed


def test_of_a_line_into_which_two_threads_wrote_the_last_part_counts() -> None:
    (one,) = log_of("excerpts/nccl_147").communicators
    edges = {(source, target) for channel, source, target in one.edges if channel == 4}
    assert edges == {(3, 2), (4, 6), (5, 7), (7, 3), (1, 0), (2, 1)}, "the end of the line of rank 6 has no prefix"
    assert one.devices[7] == 7


def test_on_one_node_the_chosen_network_is_no_matter() -> None:
    assert answer(log_of("excerpts/nccl_606")) == "The log shows no edge of the 2 ranks."


def test_a_missing_library_is_a_reason_for_sockets() -> None:
    assert answer(log_of("excerpts/nccl_tests_287")) == (
        "NCCL chose TCP sockets for edges between nodes: libibverbs could not be opened on node1; no line shows "
        "InfiniBand."
    )


def test_two_nodes_over_libfabric_are_read_to_the_end() -> None:
    log = log_of("foreign/libfabric_two_nodes")
    (one,) = log.communicators
    assert (log.versions, one.size, one.is_complete) == (["2.29.2+cuda12.8"], 2, True)
    assert one.rings == {0: (0, 1), 1: (0, 1)}
    assert set(classes(one)) == {NETWORK}
    assert [remark.kind for remark in remarks(log)] == ["no_gpudirect", "warnings"]


def test_nvls_on_one_node_marked_incomplete() -> None:
    log = log_of("foreign/nvls_8_gpus_one_node")
    expected = json.loads((HERE / "foreign" / "nvls_8_gpus_one_node.expected.json").read_text())
    (one,) = log.communicators
    assert one.size == expected["n_ranks"]
    assert sorted(one.rings) == expected["rings"]["printed"]
    assert one.channels == expected["rings"]["count_stated"]
    assert set(one.rings.values()) == {tuple(expected["rings"]["order"])}
    assert one.is_closed and not one.is_complete
    assert sorted(one.trees[0]) == expected["trees"]["printed_for_ranks"]
    assert chain(one) == [0, 3, 1, 2, 4, 7, 5, 6]
    assert one.nvls_heads == expected["nvls"]["heads"]
    assert set(classes(one)) == {P2P}
    assert answer(log) == "All printed edges of the 8 ranks use P2P."
    assert [remark.sentence for remark in remarks(log)] == [
        "The log is incomplete: 10 of 16 rings are printed, the trees of 6 of 8 ranks are printed."
    ]


def test_sockets_behind_rays_prefix_seen_from_one_side() -> None:
    log = log_of("foreign/sockets_ray_prefix_one_side")
    (one,) = log.communicators
    assert (one.size, one.channels, one.rings, one.is_closed) == (2, 2, {}, False)
    assert {(source, target) for _, source, target in one.edges} == {(0, 1), (1, 0)}
    assert [remark.kind for remark in remarks(log)] == ["sockets", "incomplete"]
    assert "1 of 2 ranks wrote lines" in remarks(log)[1].sentence


def test_sockets_beside_infiniband_are_told_with_the_reason() -> None:
    assert answer(log_of("written/v2_18_infiniband_disabled")) == (
        "TCP sockets carry the edges between ranks 0-3 and 1-2, although node1 and node2 have InfiniBand or RoCE: "
        "NCCL_IB_DISABLE=1 is set on node1 and node2."
    )
    assert answer(log_of("written/v2_18_no_device_beside_infiniband")) == (
        "TCP sockets carry the edges between ranks 0-3 and 1-2, although node1 and node2 have InfiniBand or RoCE: "
        "NCCL found no InfiniBand device on node1 and node2."
    )
    assert answer(log_of("written/v2_19_shared_memory_and_sockets")).endswith("; no line shows InfiniBand.")


def test_unused_cards_are_named_only_if_no_line_is_missing() -> None:
    path = HERE / "written" / "v2_21_without_gpudirect.txt"
    kinds = [remark.kind for remark in remarks(read([path.read_bytes()]))]
    assert "unused_cards" in kinds
    fewer = b"\n".join(line for line in path.read_bytes().split(b"\n") if b"Channel 01/02" not in line)
    assert "unused_cards" not in [remark.kind for remark in remarks(read([fewer]))]


def test_versions_that_differ_are_told_over_files() -> None:
    names = ("written/v2_20_gpudirect", "written/v2_8_roce")
    log = read([(HERE / f"{name}.txt").read_bytes() for name in names])
    assert "The versions of NCCL differ: 2.20.5+cuda12.4, 2.8.3+cuda10.2." in [one.sentence for one in remarks(log)]


def test_communicators_of_one_process_are_kept_apart() -> None:
    def lines(comm: str, ranks: int) -> str:
        start = "n1:1:2 [0] NCCL INFO "
        init = f"{start}ncclCommInitRank comm 0xa rank 0 nranks {ranks} cudaDev 0 busId 1 commId {comm} - Init"
        ring = f"{start}Channel 00/01 : {' '.join(map(str, range(ranks)))}"
        return f"{init} START\n{ring}\n{init} COMPLETE\n"

    log = read([(lines("0xaa", 4) + lines("0xbb", 2)).encode()])
    assert [(one.id, one.size, one.rings) for one in log.communicators] == [
        ("0xaa", 4, {0: (0, 1, 2, 3)}),
        ("0xbb", 2, {0: (0, 1)}),
    ]


def test_processes_that_are_each_a_job_of_their_own_are_told() -> None:
    """nccl-tests that were built without MPI do so: each process makes its own unique id."""

    def lines(pid: int, comm: str, ranks: int) -> str:
        return (
            f"n1:{pid}:{pid} [0] NCCL INFO ncclCommInitRank comm 0xa rank 0 nranks {ranks} cudaDev 0 nvmlDev 0 busId 1 "
            f"commId {comm} - Init COMPLETE\n"
        )

    two = read([(lines(10, "0xaa", 1) + lines(11, "0xbb", 1)).encode()])
    assert [remark.kind for remark in remarks(two)] == ["alone", "incomplete"]
    assert answer(two).startswith("Each of the 2 communicators has one rank, so no GPU sends to another")
    for others in (lines(11, "0xbb", 2), ""):
        log = read([(lines(10, "0xaa", 1) + others).encode()])
        assert "alone" not in [remark.kind for remark in remarks(log)]


@pytest.mark.parametrize("path", [*WRITTEN[5::7], *(HERE / "foreign").glob("*.txt")], ids=lambda path: path.stem)
def test_a_log_cut_at_any_byte_says_nothing_that_the_whole_does_not(path: Path) -> None:
    content = path.read_bytes()
    whole = read([content])
    (full,) = whole.communicators
    for place in {*range(0, len(content), 151), *range(len(content) - 25, len(content))}:
        log = read([content[:place]])
        answer(log)
        assert {remark.kind for remark in remarks(log)} <= {*(one.kind for one in remarks(whole)), "incomplete"}
        for one in log.communicators:
            assert one.size in (None, full.size), place
            assert one.rings.items() <= full.rings.items(), place
            assert all(transports <= full.edges[edge] for edge, transports in one.edges.items()), place


@pytest.mark.parametrize(
    "line",
    [
        "n1:1:2 [0] NCCL INFO Channel 00/16 :",
        "n1:1:2 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via ",
        "n1:1:2 [0] NCCL INFO Trees [0] ->->",
        "n1:1:2 [0] NCCL INFO Ring 00 : 1 -> 0 -> 1",
        "n1:1:2 [0] NCCL INFO comm 0x1 rank x nranks y - Init COMPLETE",
        "n1:1:2 [0] NCCL INFO NET/IB : Using ",
        "NCCL WARN",
        "NCCL INFO " + "9" * 100_000,
        "n1:1:2 [0] NCCL INFO Channel 00/01 :" + " 1" * 5000 + " x",
    ],
)
def test_lines_that_are_odd_break_nothing(line: str) -> None:
    log = read([f"{line}\n".encode()])
    assert all(not one.rings and not one.edges for one in log.communicators)
    assert answer(log)


def test_a_binary_file_is_refused() -> None:
    with pytest.raises(NotTextError):
        read([b"\0\1\2NCCL INFO"])


@pytest.mark.parametrize(
    ("transport", "name", "card"),
    [
        ("P2P/CUMEM/read", P2P, None),
        ("direct shared memory", SHM, None),
        ("NET/IB/7(5)/GDRDMA", GPUDIRECT, 7),
        ("NET/IB/0/GDRDMA/Shared", GPUDIRECT, 0),
        ("NET/IBext_v8/2", NETWORK, 2),
        ("NET/AWS Libfabric/0", NETWORK, None),
        ("NET/Socket/0", SOCKET, None),
        ("COLLNET/SHARP/0/GDRDMA", GPUDIRECT, None),
        ("something new", "another transport", None),
    ],
)
def test_transports_have_classes(transport: str, name: str, card: int | None) -> None:
    assert (class_of(transport), card_of(transport)) == (name, card)
