"""The gate keeps a sample of the cases of a test that has many."""

from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import covering_sample


def test_of_two_axes_every_value_is_kept_and_no_more_cases_than_the_longer_has():
    cases = [[("ranks", str(ranks)), ("transport", name)] for ranks in (1, 2, 3) for name in ("mpi", "shared_memory")]
    sample = [cases[place] for place in covering_sample(cases)]
    assert {value for case in sample for value in case} == {value for case in cases for value in case}
    assert len(sample) == 3


@given(st.lists(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("1234")), min_size=1), min_size=1))
def test_no_value_is_ever_left_out(cases: list[list[tuple[str, str]]]):
    sample = covering_sample(cases)
    assert {value for place in sample for value in cases[place]} == {value for case in cases for value in case}
