"""The table of measured times: what counts, what is newer, and how it survives the disk."""

import pytest
from pydantic import ValidationError
from tests.bench.test_nccl_tests import row

from ringscope.choice.tuning_file import default_path, path_in, read, write
from ringscope.contracts.errors import UserError
from ringscope.contracts.record import LOOPBACK
from ringscope.contracts.search.record import MeasuredSum
from ringscope.contracts.tuning import Table, arithmetic_of, ranks_of_nodes_in, shape_of, table_of, table_of_sums
from ringscope.contracts.words.machine import Machine


def times(table: Table) -> dict[tuple[str, str, str, bool], dict[int, float]]:
    return {(c.shape, c.transport, c.algorithm, c.in_place): c.times_us for c in table.curves}


@pytest.mark.parametrize(("nodes", "shape"), [((4,), "1x4"), ((2, 2), "2x2"), ((1, 3), "3+1"), ((1,), "1x1")])
def test_a_shape_says_where_ranks_lie(nodes, shape):
    assert shape_of(nodes) == shape
    assert sorted(ranks_of_nodes_in(shape)) == sorted(nodes)


def test_halves_are_apart_and_what_is_only_moved_has_no_kind():
    assert {arithmetic_of("all_reduce", dtype) for dtype in ("float32", "int8", "uint64")} == {"native"}
    assert arithmetic_of("reduce", "bfloat16") == "bfloat16"
    assert arithmetic_of("broadcast", "bfloat16") == "none"


def test_rows_become_curves_by_size():
    rows = [row("ring", 9.0, 64), row("ring", 7.0, 8), row("mpi", 5.0, 8), row("ring", 8.0, 8, in_place=True)]
    assert times(table_of(rows, [4])) == {
        ("1x4", "shared_memory", "ring", False): {8: 7.0, 64: 9.0},
        ("1x4", "mpi", "mpi", False): {8: 5.0},
        ("1x4", "shared_memory", "ring", True): {8: 8.0},
    }


def test_the_median_of_repeated_sweeps_counts():
    (curve,) = table_of([row("ring", time_us, cycle=i) for i, time_us in enumerate((5.0, 90.0, 6.0))], [4]).curves
    assert list(curve.times_us.values()) == [6.0]


def test_what_auto_took_counts_for_the_algorithm_taken():
    table = table_of([row("auto", 5.0, 8, chosen_algorithm="direct", chosen_because="x")], [4])
    assert [curve.algorithm for curve in table.curves] == ["direct"]


@pytest.mark.parametrize(
    "change",
    [{"transport": "simulated"}, {"transport": f"nccl, {LOOPBACK}"}, {"wrong": 3}, {"size_bytes": 0}],
)
def test_rows_that_say_nothing_about_this_machine_are_left_out(change):
    assert table_of([row("ring", 5.0).model_copy(update=change)], [4]) == Table()


def test_rows_count_in_whatever_channels_ranks_took_that_nobody_asked_for() -> None:
    """Agents that share a machine are two nodes to the server, and one to MPI."""
    on_gpus = row("ring", 5.0).model_copy(update={"transport": "nccl", "channels": 1})
    assert table_of([on_gpus], [2, 2]).row_count == 1


def test_newer_times_win_and_others_stay():
    old = table_of([row("ring", 9.0, 8), row("ring", 9.0, 64), row("mpi", 5.0, 8)], [4])
    new = old.updated(table_of([row("ring", 1.0, 8)], [4]))
    assert times(new)["1x4", "shared_memory", "ring", False] == {8: 1.0, 64: 9.0}
    assert times(new)["1x4", "mpi", "mpi", False] == {8: 5.0}
    assert new.row_count == 3


def test_of_too_many_sizes_the_newest_stay():
    many = table_of([row("ring", 1.0, size) for size in range(4, 4 * 91, 4)], [4])
    new = table_of([row("ring", 2.0, size) for size in range(2, 4 * 20, 4)], [4])
    (curve,) = many.updated(new).curves
    assert len(curve.times_us) == 100
    assert list(curve.times_us) == sorted(curve.times_us)
    assert all(curve.times_us[size] == 2.0 for size in range(2, 4 * 20, 4))


def test_a_table_survives_the_disk(tmp_path):
    path = path_in(tmp_path / "new")
    assert read(path) == Table(), "no file, no table"
    table = table_of([row("ring", 9.0, 8), row("mpi", 5.0, 8)], [2, 1])
    write(path, table)
    write(path, table)
    assert read(path) == table
    assert [file.name for file in path.parent.iterdir()] == ["tuning.json"]


@pytest.mark.parametrize("text", ["{", '{"version": 2, "curves": []}', '{"curves": [{"shape": "1x2"}]}'])
def test_a_damaged_file_is_one_sentence(tmp_path, text):
    path = path_in(tmp_path)
    path.write_text(text)
    with pytest.raises(UserError, match=r"tuning.json is damaged or of another version; remove it and run .* again\."):
        read(path)


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"cannot be written \(.*\); choose another --data-dir\."):
        write(tmp_path / "file" / "tuning.json", Table())


def test_a_variable_names_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv("RINGSCOPE_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("RINGSCOPE_TUNING", raising=False)
    assert default_path() == tmp_path / "tuning.json"
    monkeypatch.setenv("RINGSCOPE_TUNING", "/elsewhere.json")
    assert str(default_path()) == "/elsewhere.json"


def test_a_table_from_outside_is_bounded():
    (curve,) = table_of([row("ring", 1.0)], [4]).curves
    with pytest.raises(ValidationError):
        Table.model_validate({"curves": [curve.model_dump() | {"times_us": dict.fromkeys(range(1, 102), 1.0)}]})


def test_ranks_without_a_core_each_have_curves_of_their_own() -> None:
    rows = [row("ring", 5.0), row("ring", 50.0).model_copy(update={"cores": 2, "ranks": 4})]
    alone, crowded = table_of(rows, [4]).curves
    assert (alone.is_crowded, crowded.is_crowded) == (False, True)
    assert [*alone.times_us.values(), *crowded.times_us.values()] == [5.0, 50.0]
    assert "is_crowded" not in alone.model_dump(mode="json"), "agents of earlier versions would refuse it"
    assert Table.model_validate_json(Table(curves=(alone, crowded)).model_dump_json()).curves == (alone, crowded)


def test_a_table_of_an_earlier_version_tells_crowds_by_its_machine() -> None:
    old = table_of([row("ring", 5.0)], [4])
    assert not old.told_crowds().curves[0].is_crowded, "nobody knows"
    assert not old.on(Machine(cores=4)).told_crowds().curves[0].is_crowded
    assert old.on(Machine(cores=2)).told_crowds().curves[0].is_crowded


def test_the_sums_of_a_search_are_curves_in_place_with_the_median_of_its_runs():
    def a_sum(algorithm, time_us, **more):
        fields = {"algorithm": algorithm, "transport": "shared_memory", "size_bytes": 8, "time_us": time_us}
        return MeasuredSum(**fields | more)

    runs = [[a_sum("ring", 7.0), a_sum("direct", 5.0)], [a_sum("ring", 90.0)], [a_sum("ring", 8.0)]]
    crowded = [[a_sum("ring", 9.0, cores=2)], [a_sum("ring", 1.0, transport=f"nccl, {LOOPBACK}")]]
    assert times(table_of_sums(runs, "float32", [4])) == {
        ("1x4", "shared_memory", "ring", True): {8: 8.0},
        ("1x4", "shared_memory", "direct", True): {8: 5.0},
    }
    (curve,) = table_of_sums(crowded, "float32", [4]).curves
    assert (curve.is_crowded, curve.arithmetic, curve.times_us) == (True, "native", {8: 9.0})
