"""A pickle is loaded only if it has plain data."""

import os
import pickle
import pickletools
from pathlib import Path
from typing import Any

import pytest

from ringscope.hangs.plain_pickle import NotPlainError, is_pickle, load

PLAIN: Any = {
    "a": [1, -1, 255, 65536, 2**40, 2**70, 1.5, None, True, False, "text", "t" * 300, b"bytes"],
    "tuples": ((), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)),
    "many": {str(number): [number] * 3 for number in range(3000)},
}


class Hostile:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_plain_data_is_loaded(protocol: int) -> None:
    content = pickle.dumps(PLAIN if protocol > 2 else {**PLAIN, "a": PLAIN["a"][:-1]}, protocol=protocol)
    assert is_pickle(content)
    assert load(content)["tuples"] == PLAIN["tuples"]
    assert load(content)["many"] == PLAIN["many"]


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_a_hostile_pickle_runs_nothing(protocol: int, tmp_path: Path) -> None:
    place = tmp_path / "made"
    with pytest.raises(NotPlainError, match="is not one of plain data"):
        load(pickle.dumps({"entries": [Hostile(place)]}, protocol=protocol))
    assert not place.exists()


@pytest.mark.parametrize("opcode", [op for op in pickletools.opcodes if op.code in "cibRo\x81\x92\x93PQ\x82\x83\x84"])
def test_opcodes_that_import_or_call_are_refused(opcode: Any) -> None:
    with pytest.raises(NotPlainError):
        load(b"\x80\x04" + opcode.code.encode("latin-1") + b"os\nsystem\n" + b".")


def test_a_place_in_the_memo_may_not_take_all_memory() -> None:
    with pytest.raises(NotPlainError):
        load(b"\x80\x02}r\xff\xff\xff\x7f.")


def test_a_cut_pickle_is_refused_at_every_byte() -> None:
    content = pickle.dumps({"entries": [{"a": "b" * 300, "c": [1, 2.5, None]}]}, protocol=4)
    for place in range(2, len(content)):
        with pytest.raises(NotPlainError):
            load(content[:place])


def test_any_bytes_behind_the_header_raise_only_one_error() -> None:
    for first in range(256):
        for rest in (b"", b".", b"(((", bytes(9), b"\xff" * 20 + b"."):
            try:
                load(b"\x80\x04" + bytes([first]) + rest)
            except NotPlainError:
                continue
