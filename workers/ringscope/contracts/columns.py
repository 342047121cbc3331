"""Columns of records: numbers and text that the tables can hold, and arrays that are quick to read and write."""

from array import array
from binascii import a2b_base64, b2a_base64
from typing import Annotated, Any

from pydantic import AfterValidator, AllowInfNan, Field, PlainSerializer, PlainValidator, WithJsonSchema

# most entries of an array in a record, which is one transaction: our ranks send at most 2,000 steps
MOST_ENTRIES = 10_000
FEW = Field(max_length=MOST_ENTRIES, fail_fast=True)

_IS_BIG_ENDIAN = array("H", [1]).tobytes() == b"\0\1"

# These are the limits of the tables' columns; API users need not know them.
Int32 = Annotated[int, Field(ge=-(2**31), lt=2**31), WithJsonSchema({"type": "integer"})]
Int64 = Annotated[int, Field(ge=-(2**63), lt=2**63), WithJsonSchema({"type": "integer"})]

Count = Annotated[int, Field(ge=0, lt=2**63), WithJsonSchema({"type": "integer"})]
Elements = Annotated[int, Field(ge=0, le=2**53), WithJsonSchema({"type": "integer"})]  # more than any memory holds

# No measurement lies beyond these limits, and what is computed from such times (sums, squares, intervals) stays finite.
MOST_MICROSECONDS = 1e15  # 31 years
FEWEST_MICROSECONDS = 1e-12  # except 0: a quotient by such a time stays finite, too


def _long_enough(times_us: list[float]) -> list[float]:
    if min(filter(None, times_us), default=1.0) < FEWEST_MICROSECONDS:
        raise ValueError(f"a time is 0, or at least {FEWEST_MICROSECONDS:g} us")
    return times_us


Microseconds = Annotated[float, Field(ge=0, le=MOST_MICROSECONDS), WithJsonSchema({"type": "number"})]
Durations = Annotated[list[Microseconds], FEW]
# Times of timed work, from which rates are computed; a difference of two such times may be arbitrarily small.
TimedMicroseconds = Annotated[Microseconds, AfterValidator(lambda time_us: _long_enough([time_us])[0])]
TimedDurations = Annotated[Durations, AfterValidator(_long_enough)]
Percent = Annotated[float, Field(ge=0, le=1e9), WithJsonSchema({"type": "number"})]
LAST_NS = 7_258_118_400_000_000_000  # the year 2200: even with the longest duration added it fits in 64 bits
# Nanoseconds of a wall clock, since 1970.
Nanoseconds = Annotated[int, Field(ge=0, lt=LAST_NS), WithJsonSchema({"type": "integer"})]
Int32s = Annotated[list[Int32], FEW]
Int64s = Annotated[list[Int64], FEW]
Counts = Annotated[list[Count], FEW]
NanosecondColumn = Annotated[list[Nanoseconds], FEW]
Loss = Annotated[float, AllowInfNan(True)]  # a loss may be NaN or infinite, because training may diverge
GbPerS = Annotated[float, Field(ge=0, le=1e12), WithJsonSchema({"type": "number"})]


# name of an algorithm, a transport, a dtype …
Name = Annotated[str, Field(max_length=100), WithJsonSchema({"type": "string"})]


def cut(text: str, most: int) -> str:
    """Cut a text to at most ``most`` characters: its end may be lost, but the message that contains it must not be."""
    return text if len(text) <= most else text[: most - 1] + "…"


# Variables and paths may hold bytes of another encoding that UTF-8 cannot represent: each becomes a question mark.
Text = Annotated[str, AfterValidator(lambda text: text.encode(errors="replace").decode())]
Line = Annotated[Text, AfterValidator(lambda text: cut(text, 1_000))]
Output = Annotated[Text, AfterValidator(lambda text: cut(text, 8_192))]  # a line of the log, or last words


def is_null(value: object) -> bool:
    """Return whether to leave a newer column out of JSON: earlier servers and agents refuse unknown fields."""
    return value is None


def _packed(column: "array[int]") -> str:
    if _IS_BIG_ENDIAN:
        column = array("q", column)
        column.byteswap()
    return b2a_base64(column, newline=False).decode()


def _unpacked(told: object) -> "array[int]":
    column = array("q")
    if not isinstance(told, str):
        column.extend(told)  # type: ignore[arg-type]  # TypeError and OverflowError become ValueError below
        return column
    column.frombytes(a2b_base64(told))
    if _IS_BIG_ENDIAN:
        column.byteswap()
    return column


def _column(told: object) -> "array[int]":
    try:
        return _unpacked(told)
    except (TypeError, OverflowError, ValueError) as error:
        raise ValueError(f"no column of integers of 64 bits: {error}") from error


# Base64 of 8 bytes each in JSON, the lowest first.
Integers = Annotated[Any, PlainValidator(_column), PlainSerializer(_packed, return_type=str)]
