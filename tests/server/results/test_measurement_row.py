"""A row of a sweep's table has the same columns from the rank to SQL, and from there to people."""

from typing import Any

from tests.server.conftest import measurement

from ringscope.contracts.record import Measurement
from ringscope.contracts.sweep_row import SweepRow
from ringscope_server.db import models
from ringscope_server.results.queries import measurement_view
from ringscope_server.results.rows import as_record, measurement_row

WHOSE = {"id": 7, "job_id": 1, "attempt_id": 2}
COLUMNS = set(SweepRow.model_fields)


def test_the_table_has_a_column_for_each_and_says_whose_it_is_and_when() -> None:
    assert {column.name for column in models.Measurement.__table__.columns} == COLUMNS | {
        *WHOSE,
        "rounds_us",
        "measured_at",
    }


def test_a_stored_row_is_the_record_that_it_came_from_but_for_single_iterations() -> None:
    told = record(
        cycle=3, chosen_algorithm="direct", wrong=None, times_us=[1.0, 2.0], iterations=3, rounds_us=[1.0, 2.0, 3.5]
    )
    assert as_record(stored(told)) == told.model_copy(update={"times_us": None})


def test_people_see_what_was_told() -> None:
    told = record(p10_us=1.5)
    view = measurement_view(stored(told))
    assert view.model_dump(include=COLUMNS) == told.model_dump(include=COLUMNS)
    assert (next(iter(view.model_dump())), view.id) == ("id", 7)


def test_channels_are_told_only_where_it_went_in_some_and_stored_in_any_case() -> None:
    """Servers of earlier versions refuse what they do not know; a statement stores rows with the same columns."""
    in_none, in_two = record(), record(channels=2)
    assert ["channels" in told.model_dump_json() for told in (in_none, in_two)] == [False, True]
    assert [measurement_row(told)["channels"] for told in (in_none, in_two)] == [None, 2]


def test_a_line_begins_with_its_type_by_which_readers_pass_it_over() -> None:
    assert record().model_dump_json().startswith('{"type":"measurement",')


def record(**fields: Any) -> Measurement:
    return Measurement.model_validate(measurement(**fields))


def stored(told: Measurement) -> models.Measurement:
    return models.Measurement(**WHOSE, **measurement_row(told))
