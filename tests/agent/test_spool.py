from pathlib import Path

import pytest

from ringscope_agent.spool import MAX_BATCH_BYTES, MAX_BATCH_RECORDS, Spool


def test_records_are_numbered_from_one_and_sent_as_they_are(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    assert [spool.append(b'{"a": 1}'), spool.append(b'{"b":  [2]}')] == [1, 2]
    assert spool.batch() == (1, [b'{"a": 1}', b'{"b":  [2]}'])
    assert spool.pending_bytes == 21
    spool.acknowledge(1)
    assert spool.batch() == (2, [b'{"b":  [2]}'])
    spool.acknowledge(2)
    assert spool.batch() == (3, [])
    assert spool.pending_bytes == 0
    spool.close()


def test_a_later_life_goes_on_where_the_earlier_one_stopped(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    for number in range(5):
        spool.append(b"%d" % number)
    spool.acknowledge(3)
    spool.close()
    with (tmp_path / "records.jsonl").open("ab") as file:
        file.write(b'{"torn": ')
    later = Spool(tmp_path)
    assert (later.last_sequence, later.acknowledged) == (5, 3)
    assert later.append(b"5") == 6
    assert later.batch() == (4, [b"3", b"4", b"5"])
    later.close()


def test_a_server_that_forgot_is_sent_the_gap_again(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    for number in range(5):
        spool.append(b"%d" % number)
    spool.acknowledge(5)
    spool.acknowledge(2)
    assert spool.batch() == (3, [b"2", b"3", b"4"])
    spool.close()


@pytest.mark.parametrize("cursor", ["", "{}", '{"acknowledged": null}', '{"acknowledged": 99}'])
def test_a_spoilt_cursor_sends_too_much_rather_than_too_little(tmp_path: Path, cursor: str) -> None:
    spool = Spool(tmp_path)
    spool.append(b"0")
    spool.close()
    (tmp_path / "cursor.json").write_text(cursor)
    later = Spool(tmp_path)
    assert later.acknowledged <= later.last_sequence
    later.close()


def test_batches_are_bounded_in_records_and_bytes(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    for _ in range(MAX_BATCH_RECORDS + 1):
        spool.append(b"{}")
    assert len(spool.batch()[1]) == MAX_BATCH_RECORDS
    spool.acknowledge(spool.last_sequence)
    big = b"x" * (MAX_BATCH_BYTES // 2)
    for _ in range(3):
        spool.append(big)
    assert len(spool.batch()[1]) == 1
    spool.append(b"y" * (2 * MAX_BATCH_BYTES))
    spool.acknowledge(spool.last_sequence - 1)
    assert [len(record) for record in spool.batch()[1]] == [2 * MAX_BATCH_BYTES]
    spool.close()


def test_a_full_disk_leaves_no_half_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spool = Spool(tmp_path)
    spool.append(b"whole")
    with monkeypatch.context() as patch:
        patch.setattr("os.pwrite", lambda *_: 2)
        with pytest.raises(OSError, match="only a part"):
            spool.append(b"lost")
    assert spool.append(b"next") == 2
    assert spool.batch() == (1, [b"whole", b"next"])
    spool.close()
