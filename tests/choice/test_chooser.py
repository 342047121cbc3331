"""Auto takes the measured winner, else the model's, and always gives a reason that names figures."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bench.test_nccl_tests import row
from tests.conftest import examples
from tests.cost.test_fit import priced

from ringscope.choice.chooser import Chooser, candidates
from ringscope.choice.links import DEFAULTS, LIBRARY
from ringscope.choice.modelled import Model
from ringscope.choice.situation import Situation
from ringscope.contracts.record import LOOPBACK
from ringscope.contracts.tuning import Table, table_of
from ringscope.contracts.words.collectives import COLLECTIVES, available
from ringscope.contracts.words.devices import MPI_ON_GPUS
from ringscope.contracts.words.machine import Machine
from ringscope.contracts.words.topology import Link

KIB, MIB = 1 << 10, 1 << 20
HERE = Situation("all_reduce", "float32", (4,), "shared_memory")


def table(**times_us: dict[int, float]) -> Table:
    return table_of([row(name, t, size) for name, sizes in times_us.items() for size, t in sizes.items()], [4])


def choose(known: Table, size_bytes: int, situation: Situation = HERE) -> tuple[str, str]:
    return Chooser(known).choose(situation, size_bytes)


@examples(60)
@given(
    st.sampled_from(COLLECTIVES),
    st.sampled_from(["shared_memory", "mpi", "nccl", "cuda_ipc", f"nccl, {LOOPBACK}", MPI_ON_GPUS]),
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.sampled_from(["int8", "float16", "float32", "float64"]),
    st.integers(0, 1 << 28),
    st.booleans(),
)
def test_the_choice_is_always_one_that_can_be_executed(collective, transport, nodes, dtype, size_bytes, in_place):
    if transport in ("shared_memory", "cuda_ipc"):
        nodes = nodes[:1]
    situation = Situation(collective, dtype, tuple(nodes), transport, in_place)
    algorithm, because = choose(Table(), size_bytes, situation)
    assert algorithm in candidates(collective, transport)
    assert algorithm in available(collective)
    assert because.endswith(".")
    assert (algorithm, because) == choose(Table(), size_bytes, situation), "alike on every rank"


@given(st.dictionaries(st.sampled_from(candidates("all_reduce", "mpi")), st.floats(0.1, 1e6), min_size=2))
def test_the_measured_winner_wins(times_us):
    algorithm, because = choose(table(**{name: {MIB: time_us} for name, time_us in times_us.items()}), MIB)
    assert times_us[algorithm] == min(times_us.values())
    assert re.match(r"measured: \w+ [\d.e+]+ (us|ms|s), \w+ [\d.e+]+ (us|ms|s)", because)
    assert because.endswith("at 1 MiB (medians).")


def test_the_reason_names_the_figures():
    known = table(ring={MIB: 25.0}, direct={MIB: 20.1}, tree={MIB: 30.0}, mpi={MIB: 33.0})
    assert choose(known, MIB) == ("direct", "measured: direct 20.1 us, ring 25 us, mpi 33 us at 1 MiB (medians).")


def test_between_two_sizes_the_times_are_interpolated():
    known = table(ring={KIB: 10.0, 4 * KIB: 40.0}, mpi={KIB: 1.0, 4 * KIB: 100.0})
    assert choose(known, KIB + 4)[0] == "mpi"
    assert choose(known, 2 * KIB) == ("mpi", "measured: mpi 10 us, ring 20 us between 1 KiB and 4 KiB (medians).")
    assert choose(known, 4 * KIB - 4)[0] == "ring"


def test_beyond_the_last_size_it_counts_as_far_as_a_factor_of_four():
    known = table(ring={MIB: 5.0}, mpi={MIB: 9.0})
    assert choose(known, 4 * MIB) == ("ring", "measured: ring 5 us, mpi 9 us at 1 MiB, the nearest size (medians).")
    assert choose(known, 4 * MIB + 4)[1].startswith("model: ")


def test_sizes_with_different_rivals_do_not_mix():
    known = table(ring={KIB: 5.0, 2 * KIB: 6.0}, mpi={KIB: 1.0}, direct={2 * KIB: 2.0})
    assert choose(known, 1200) == ("mpi", "measured: mpi 1 us, ring 5 us at 1 KiB, the nearest size (medians).")
    assert choose(known, 2000) == ("direct", "measured: direct 2 us, ring 6 us at 2 KiB, the nearest size (medians).")


def test_one_algorithm_alone_was_not_compared():
    assert choose(table(naive={MIB: 1.0}), MIB)[1].startswith("model: ")


@pytest.mark.parametrize(
    "other",
    [
        Situation("reduce_scatter", "float32", (4,), "shared_memory"),
        Situation("all_reduce", "float16", (4,), "shared_memory"),
        Situation("all_reduce", "float32", (2, 2), "shared_memory"),
        Situation("all_reduce", "float32", (4,), "mpi"),
        Situation("all_reduce", "float32", (4,), "shared_memory", in_place=True),
    ],
)
def test_times_of_another_situation_do_not_count(other):
    known = table(naive={MIB: 1.0}, ring={MIB: 2.0})
    assert choose(known, MIB)[0] == "naive"
    because = choose(known, MIB, other)[1]
    assert because.startswith("model: ")
    assert because.endswith(f"no measurement near 1 MiB for {other}.")


def test_other_numbers_of_the_same_kind_do_count():
    known = table(naive={MIB: 1.0}, ring={MIB: 2.0})
    assert choose(known, MIB, Situation("all_reduce", "int64", (4,), "shared_memory"))[0] == "naive"


def test_the_model_knows_nodes():
    spread = Situation("all_reduce", "float32", (4, 4), "mpi")
    algorithm, because = choose(Table(), 64 * MIB, spread)
    assert algorithm in ("hierarchical", "halving_doubling"), "few bytes between the nodes"
    assert "8 ranks on 2 nodes over mpi" in because
    assert choose(Table(), 8, spread)[0] in ("recursive_doubling", "mpi", "tree"), "few messages"


def test_the_model_is_fitted_to_the_table_where_it_can_be():
    slow_to_start, sizes = Link(1e-3, 1e11), [64 << i for i in range(12)]
    rows = [priced("ring", 4, size, slow_to_start, None) for size in sizes]
    known = table_of([one.model_copy(update={"transport": "shared_memory"}) for one in rows], [4])
    algorithm, because = choose(known, MIB)
    assert because.startswith("model, fitted to 12 measured rows: ")
    assert algorithm == "mpi", "a message of ours takes a millisecond here, the library's what it takes by default"


@pytest.mark.parametrize("nodes", [(33, 1), (8,) * 128, (1,) * 1000, (512,)])
def test_any_number_of_ranks_is_priced(nodes):
    crowd = Situation("all_reduce", "float32", nodes, "mpi")
    small, large = (choose(Table(), size_bytes, crowd) for size_bytes in (8, 256 * MIB))
    assert small[1].startswith("model: ")
    assert large[1].startswith("model: ")
    assert large[0] != "recursive_doubling"


@pytest.mark.parametrize("nodes", [(40,), (7,) * 9, (3,) * 50])
@pytest.mark.parametrize("collective", COLLECTIVES)
def test_everything_is_priced_on_crowds_that_share_cards(nodes: tuple[int, ...], collective: str) -> None:
    crowd, known = Situation(collective, "float32", nodes, "mpi"), Chooser(Table())
    for size_bytes in (KIB, MIB):
        assert all(known.priced(crowd, size_bytes, name) is not None for name in candidates(collective, "mpi"))
        chosen, because = known.choose(crowd, size_bytes)
        assert because.startswith("model: ")
        priced = known.priced(crowd, size_bytes, chosen)
        assert priced is not None
        assert (f"{chosen} at most " in because) == priced.is_bound


def test_mpi_on_gpus_has_rows_of_its_own():
    gpus = Situation("all_reduce", "float32", (4,), MPI_ON_GPUS)
    in_host_memory = [row(name, t, MIB, transport="mpi") for name, t in (("ring", 1.0), ("mpi", 2.0))]
    algorithm, because = choose(table_of(in_host_memory, [4]), MIB, gpus)
    assert algorithm == "mpi"
    assert because.startswith("MPI chooses the algorithm itself; no measurement near 1 MiB")
    halves = Situation("all_reduce", "bfloat16", (4,), MPI_ON_GPUS)
    assert choose(Table(), MIB, halves)[0] not in ("mpi", "nccl"), "which MPI may not know"
    rows = [row(name, t, MIB, transport=MPI_ON_GPUS) for name, t in (("ring", 1.0), ("mpi", 2.0))]
    assert choose(table_of(rows, [4]), MIB, gpus) == ("ring", "measured: ring 1 us, mpi 2 us at 1 MiB (medians).")


def test_nccls_choice_stands_on_gpus_until_something_is_measured():
    gpus = Situation("all_reduce", "float32", (4,), "nccl")
    assert choose(Table(), MIB, gpus)[0] == "nccl"
    assert choose(Table(), MIB, Situation("all_reduce", "float32", (4,), f"nccl, {LOOPBACK}"))[0] == "nccl"
    rows = [row(name, t, MIB, transport="nccl") for name, t in (("ring", 1.0), ("nccl", 2.0))]
    assert choose(table_of(rows, [4]), MIB, gpus) == ("ring", "measured: ring 1 us, nccl 2 us at 1 MiB (medians).")


@pytest.mark.parametrize(("nodes", "size_bytes"), [((1,), MIB), ((4,), 0)])
def test_without_anything_to_send_nothing_is_priced(nodes, size_bytes):
    situation = Situation("all_reduce", "float32", nodes, "mpi")
    assert choose(Table(), size_bytes, situation) == ("ring", "No data has to be sent.")


def test_every_carrier_has_default_parameters():
    assert set(DEFAULTS) == {"shared_memory", "mpi", MPI_ON_GPUS, "cuda_ipc", LIBRARY}


def test_without_measurements_the_likeliest_are_worth_trying() -> None:
    at_8_bytes, at_64_mib = (Chooser(Table()).likely(HERE, size) for size in (8, 64 * MIB))
    for likely, size in ((at_8_bytes, 8), (at_64_mib, 64 * MIB)):
        assert likely[0] == choose(Table(), size)[0]
        assert "mpi" in likely, "how the library does it is not known, so that it is always tried"
    assert "direct" in at_64_mib
    assert "naive" not in Chooser(Table()).likely(Situation("all_reduce", "float32", (16,), "mpi"), 64 * MIB)


def test_nothing_is_tried_where_all_that_is_likely_was_measured() -> None:
    everything = Chooser(Table()).likely(HERE, MIB)
    known = table(**{name: {MIB: 20.0 + i} for i, name in enumerate(everything)})
    assert Chooser(known).likely(HERE, MIB) == []
    assert Chooser(known).likely(HERE, 64 * MIB) != []


def test_two_that_were_measured_do_not_keep_the_others_from_being_tried() -> None:
    known = Chooser(table(ring={MIB: 25.0}, mpi={MIB: 20.0}))
    likely = known.likely(HERE, MIB)
    assert likely[0] == "mpi", "the fastest of those measured has to be beaten"
    assert "direct" in likely
    assert "ring" not in likely
    assert known.choose(HERE, MIB).algorithm == "mpi", "without a trial it has the say"


@pytest.mark.parametrize(
    "situation",
    [
        Situation("all_reduce", "float32", (1,), "shared_memory"),
        Situation("all_reduce", "float32", (8,), "nccl"),
    ],
    ids=str,
)
def test_nothing_is_tried_where_the_model_is_not_asked(situation: Situation) -> None:
    assert Chooser(Table()).likely(situation, MIB) == []


def test_what_no_machine_was_measured_for_is_priced_as_on_the_models_own() -> None:
    assert choose(Table(), MIB)[0] == choose(Table(machine=Machine()), MIB)[0]


@pytest.mark.parametrize("size_bytes", [32 * KIB, 256 * KIB, MIB, 16 * MIB])
def test_ranks_that_share_a_core_take_what_waits_twice_and_not_in_every_step(size_bytes: int) -> None:
    crowded = Table(machine=Machine(cores=2))
    chosen, _ = choose(crowded, size_bytes)
    assert chosen in ("direct", "naive", "parameter_server")
    ring = Chooser(crowded).priced(HERE, size_bytes, "ring")
    direct = Chooser(crowded).priced(HERE, size_bytes, "direct")
    assert ring is not None and direct is not None
    assert ring.time_us > direct.time_us


def test_a_library_that_starts_its_messages_itself_wins_short_ones_where_python_is_slow() -> None:
    assert choose(Table(machine=Machine(cores=4, call_us=2.0)), 8)[0] == "mpi"


def test_on_a_machine_that_adds_slowly_times_grow_with_its_memory() -> None:
    slow = Machine(add_gb_per_s=14, copy_gb_per_s=19, far_add_gb_per_s=7, far_copy_gb_per_s=9.5, cache_bytes=MIB)

    def time_us(machine: Machine, size_bytes: int) -> float:
        priced = Chooser(Table(machine=machine)).priced(HERE, size_bytes, "ring")
        assert priced is not None
        return priced.time_us

    far = 64 * MIB
    assert time_us(slow, far) / time_us(Machine(), far) == pytest.approx(8, rel=0.01)
    near = 256 * KIB
    assert 1 < time_us(slow, near) / time_us(Machine(), near) < 4


def test_times_of_ranks_that_share_cores_say_nothing_of_ranks_that_do_not() -> None:
    rows = [
        row(name, us, MIB).model_copy(update={"ranks": 4, "cores": 2}) for name, us in (("naive", 1.0), ("mpi", 2.0))
    ]
    known = table_of(rows, [4])
    assert not choose(known, MIB)[1].startswith("measured")
    crowded = Situation("all_reduce", "float32", (4,), "shared_memory", is_crowded=True)
    assert choose(known, MIB, crowded) == ("naive", "measured: naive 1 us, mpi 2 us at 1 MiB (medians).")


def test_a_fit_is_made_of_rows_that_had_as_much_room() -> None:
    rows = [
        row(name, 9.0 * size, size).model_copy(update={"ranks": 4, "cores": 2})
        for name in ("ring", "direct")
        for size in (4, 8, 16, 32, 64, 128)
    ]
    model = Model(table_of(rows, [4]))
    fitted = [
        model.priced(Situation("all_reduce", "float32", (4,), "shared_memory", is_crowded=is_crowded), 4096, "ring")
        for is_crowded in (False, True)
    ]
    assert [found.rows for found in fitted if found] == [0, 12]


def test_the_measured_time_of_one_algorithm_is_that_of_its_size_or_of_sizes_on_both_sides():
    chooser = Chooser(table(ring={MIB: 100.0, 4 * MIB: 400.0}))
    assert chooser.measured_us(HERE, MIB, "ring") == 100.0
    assert chooser.measured_us(HERE, 2 * MIB, "ring") == pytest.approx(200.0)
    assert chooser.measured_us(HERE, 5 * MIB, "ring") == pytest.approx(500.0)  # close to the largest one
    assert chooser.measured_us(HERE, 8 * MIB, "ring") is None
    assert chooser.measured_us(HERE, MIB, "direct") is None
    assert chooser.measured_us(replace(HERE, in_place=True), MIB, "ring") is None
