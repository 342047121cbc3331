"""Bases of the records, and the check of their step numbers."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from ringscope.contracts.columns import MOST_ENTRIES

_LAST_STEP = 2**31 - 1  # the largest number that the tables can hold


class RecordModel(BaseModel):
    """Base of every record. A time or rate that is NaN or infinite is an error of its sender.

    A loss may be NaN or infinite: JSON cannot express that, so it is sent as the text NaN, Infinity or -Infinity.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, ser_json_inf_nan="strings")


class TypeFirst(RecordModel):
    """Base that puts ``type`` first, as the last base's fields come first: fast readers look at the beginning of a
    line.
    """

    type: Literal["measurement"] = "measurement"


def check_numbers(first_step: int, steps: int) -> None:
    """Raise ValueError if a record holds too many steps, or steps with numbers that the tables cannot hold."""
    if steps > MOST_ENTRIES:
        raise ValueError(f"a record holds no more than {MOST_ENTRIES} steps")
    if first_step + steps > _LAST_STEP:
        raise ValueError(f"no step has a number of {_LAST_STEP} or more")
