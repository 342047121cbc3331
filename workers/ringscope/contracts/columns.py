"""Columns of records: numbers and text that the tables can hold, and arrays that are quick to read and write."""

from array import array
from binascii import a2b_base64, b2a_base64
from typing import Annotated, Any

from pydantic import AfterValidator, Field, PlainSerializer, PlainValidator, WithJsonSchema

MOST_ENTRIES = 10_000  # of an array in a record, which is one transaction: our ranks send at most 2,000 steps
FEW = Field(max_length=MOST_ENTRIES, fail_fast=True)

_IS_BIG_ENDIAN = array("H", [1]).tobytes() == b"\0\1"

# What the columns of the tables can hold; API users need not know.
Int32 = Annotated[int, Field(ge=-(2**31), lt=2**31), WithJsonSchema({"type": "integer"})]
Int64 = Annotated[int, Field(ge=-(2**63), lt=2**63), WithJsonSchema({"type": "integer"})]

Count = Annotated[int, Field(ge=0, lt=2**63), WithJsonSchema({"type": "integer"})]
Elements = Annotated[int, Field(ge=0, le=2**53), WithJsonSchema({"type": "integer"})]  # more than any memory holds

# Beyond these nothing is measured, and what is made of them (sums, squares, intervals) is a number for certain.
MOST_MICROSECONDS = 1e15  # 31 years
FEWEST_MICROSECONDS = 1e-12  # but for none at all: what is divided by them is a number for certain, too


def _long_enough(times_us: list[float]) -> list[float]:
    if min(filter(None, times_us), default=1.0) < FEWEST_MICROSECONDS:
        raise ValueError(f"a time is 0, or at least {FEWEST_MICROSECONDS:g} us")
    return times_us


Microseconds = Annotated[float, Field(ge=0, le=MOST_MICROSECONDS), WithJsonSchema({"type": "number"})]
Durations = Annotated[list[Microseconds], FEW]
# Of what was timed, by which rates are told; a difference of two such times may be as small as it likes.
TimedMicroseconds = Annotated[Microseconds, AfterValidator(lambda time_us: _long_enough([time_us])[0])]
TimedDurations = Annotated[Durations, AfterValidator(_long_enough)]
Percent = Annotated[float, Field(ge=0, le=1e9), WithJsonSchema({"type": "number"})]
LAST_NS = 7_258_118_400_000_000_000  # the year 2200: with the longest of durations added it is one of 64 bits
Nanoseconds = Annotated[int, Field(ge=0, lt=LAST_NS), WithJsonSchema({"type": "integer"})]  # of a clock, since 1970
Int32s = Annotated[list[Int32], FEW]
Int64s = Annotated[list[Int64], FEW]
NanosecondColumn = Annotated[list[Nanoseconds], FEW]
GbPerS = Annotated[float, Field(ge=0, le=1e12), WithJsonSchema({"type": "number"})]


# Of an algorithm, a transport, a dtype …
Name = Annotated[str, Field(max_length=100), WithJsonSchema({"type": "string"})]


def cut(text: str, most: int) -> str:
    """Text of ``most`` characters at most. Its end would be lost on people; the news that goes with it must not be."""
    return text if len(text) <= most else text[: most - 1] + "…"


# Variables and paths may hold bytes of another encoding, for which UTF-8 has no words: each is a question mark.
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


# In JSON base64 of 8 bytes each, the lowest first.
Integers = Annotated[Any, PlainValidator(_column), PlainSerializer(_packed, return_type=str)]
