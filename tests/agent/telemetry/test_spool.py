import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ringscope_agent.telemetry.spool import MAX_BATCH_BYTES, MAX_BATCH_RECORDS, SpoolReader, SpoolWriter


class Spool:
    """Both ends, as shim and agent have them."""

    def __init__(self, folder: Path) -> None:
        self.writer = SpoolWriter(folder)
        self.reader = SpoolReader(folder)

    def append(self, *records: bytes) -> list[bytes]:
        for record in records:
            self.writer.append(record)
        return self.read()

    def read(self) -> list[bytes]:
        return [record for lines in iter(self.reader.read_new, []) for record in lines]

    def close(self) -> None:
        self.writer.close()
        self.reader.close()


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    spool = Spool(tmp_path)
    yield spool
    spool.close()


def test_records_are_numbered_from_one_and_sent_as_they_are(spool: Spool) -> None:
    assert spool.append(b'{"a": 1}', b'{"b":  [2]}') == [b'{"a": 1}', b'{"b":  [2]}']
    reader = spool.reader
    assert reader.last_sequence == 2
    assert reader.batch() == (1, [b'{"a": 1}', b'{"b":  [2]}'])
    assert reader.pending_bytes == 21
    reader.acknowledge(1)
    assert reader.batch() == (2, [b'{"b":  [2]}'])
    reader.acknowledge(2)
    assert reader.batch() == (3, [])
    assert reader.pending_bytes == 0


def test_a_later_life_of_both_goes_on_where_the_earlier_one_stopped(spool: Spool, tmp_path: Path) -> None:
    spool.append(*(b"%d" % number for number in range(5)))
    spool.reader.acknowledge(3)
    with (tmp_path / "records.jsonl").open("ab") as file:
        file.write(b'{"torn": ')
    later = Spool(tmp_path)
    assert later.read() == [b"0", b"1", b"2", b"3", b"4"]
    assert (later.reader.last_sequence, later.reader.acknowledged) == (5, 3)
    assert later.append(b"5") == [b"5"]
    assert later.reader.batch() == (4, [b"3", b"4", b"5"])
    later.close()


def test_a_record_that_is_being_written_is_not_read_yet(spool: Spool, tmp_path: Path) -> None:
    with (tmp_path / "records.jsonl").open("ab", buffering=0) as file:
        file.write(b"whole\nhal")
        assert spool.read() == [b"whole"]
        assert spool.read() == []
        file.write(b"f\n")
    assert spool.read() == [b"half"]


def test_a_record_longer_than_what_is_read_at_once_is_whole(spool: Spool, tmp_path: Path) -> None:
    spool.append(b"short", b"x" * 1000, b"short")
    later = SpoolReader(tmp_path)
    read = [record for lines in iter(lambda: later.read_new(max_bytes=10), []) for record in lines]
    assert read == [b"short", b"x" * 1000, b"short"]
    later.close()


def test_a_server_that_forgot_is_sent_the_gap_again(spool: Spool) -> None:
    spool.append(*(b"%d" % number for number in range(5)))
    spool.reader.acknowledge(5)
    spool.reader.acknowledge(2)
    assert spool.reader.batch() == (3, [b"2", b"3", b"4"])


@pytest.mark.parametrize("cursor", ["", "{}", '{"acknowledged": null}', '{"acknowledged": 99}'])
def test_a_spoilt_cursor_sends_too_much_rather_than_too_little(spool: Spool, tmp_path: Path, cursor: str) -> None:
    spool.append(b"0")
    (tmp_path / "cursor.json").write_text(cursor)
    later = Spool(tmp_path)
    later.read()
    assert later.reader.acknowledged <= later.reader.last_sequence == 1
    later.close()


def test_batches_are_bounded_in_records_and_bytes(spool: Spool) -> None:
    reader = spool.reader
    spool.append(*[b"{}"] * (MAX_BATCH_RECORDS + 1))
    assert len(reader.batch()[1]) == MAX_BATCH_RECORDS
    reader.acknowledge(reader.last_sequence)
    spool.append(*[b"x" * (MAX_BATCH_BYTES // 2)] * 3)
    assert len(reader.batch()[1]) == 1
    spool.append(b"y" * (2 * MAX_BATCH_BYTES))
    reader.acknowledge(reader.last_sequence - 1)
    assert [len(record) for record in reader.batch()[1]] == [2 * MAX_BATCH_BYTES]


@contextmanager
def full_disk() -> Iterator[None]:
    """No file of this process grows beyond 100 bytes, which the kernel refuses as it refuses a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_no_half_record(spool: Spool) -> None:
    with full_disk():
        spool.append(b"whole")
        with pytest.raises(OSError, match="only a part"):
            spool.append(b"x" * 200)
        assert spool.append(b"next") == [b"next"]
        assert spool.reader.batch() == (1, [b"whole", b"next"])
        spool.append(b"y" * 88)
        with pytest.raises(OSError, match="too large"):
            spool.append(b"z")
    assert spool.reader.last_sequence == 3


def test_a_cursor_that_cannot_be_written_stops_nothing(spool: Spool, tmp_path: Path) -> None:
    spool.append(b"0", b"1")
    tmp_path.joinpath("cursor.new").mkdir()
    spool.reader.acknowledge(1)
    assert spool.reader.batch() == (2, [b"1"])
