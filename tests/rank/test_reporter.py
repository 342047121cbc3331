import os
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ringscope.contracts.record import RECORD, Done, Failure, Hello, Record, Steps
from ringscope.rank.environment import take_environment
from ringscope.rank.receiver import Receiver
from ringscope.rank.reporter import Reporter

HELLO = Hello(rank=0, local_rank=0, ranks=1, pid=1, host="h", time_ns=1)


def steps(first: int, count: int = 1) -> Steps:
    column = [1.0] * count
    return Steps(
        rank=0,
        first_step=first,
        op="all_reduce",
        algorithm="ring",
        transport="mpi",
        in_place=False,
        bytes=8,
        bus_factor=1.0,
        start_ns=[1] * count,
        duration_us=column,
        communication_us=column,
        compute_us=column,
        exposed_us=column,
    )


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(tmp_path / "s"))
        listening.listen()
        yield listening


def read_all(connection: socket.socket) -> list[Record]:
    with connection, connection.makefile("rb") as lines:
        return [RECORD.validate_json(line) for line in lines]


def test_records_arrive_in_order_as_json_lines(listener):
    reporter = Reporter(listener.getsockname())
    connection, _ = listener.accept()
    reporter.send(HELLO)
    reporter.send(steps(0, 20))
    reporter.close(Done(rank=0, dropped=0))
    assert read_all(connection) == [HELLO, steps(0, 20), Done(rank=0, dropped=0)]


def test_without_a_socket_nothing_happens():
    reporter = Reporter(None)
    reporter.send(HELLO)
    reporter.close(Done(rank=0, dropped=0))
    assert reporter.dropped == 0


def test_nobody_listening_is_an_error(tmp_path):
    with pytest.raises(OSError, match="No such file or directory"):
        Reporter(str(tmp_path / "none"))


def test_a_full_queue_drops_the_oldest_steps_only_and_tells_how_many(listener):
    reporter = Reporter(listener.getsockname(), max_queued_steps=4)
    connection, _ = listener.accept()
    failure = Failure(rank=0, reason="rank_exit", message="Told while nobody read.")
    sent = 100
    for block in range(sent):  # about 7 MB, far more than a socket holds
        reporter.send(steps(block, 2000))
        if block == sent // 2:
            reporter.send(failure)
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read_all, connection)
        reporter.close(Done(rank=0, dropped=0))
        received = reading.result(timeout=60)

    blocks = [record for record in received if isinstance(record, Steps)]
    assert reporter.dropped > sent // 2
    assert len(blocks) + reporter.dropped == sent
    assert sum(block.dropped for block in blocks) == reporter.dropped
    assert [block.first_step for block in blocks] == sorted(block.first_step for block in blocks)
    assert blocks[-1].first_step == sent - 1
    assert failure in received
    assert received[-1] == Done(rank=0, dropped=reporter.dropped)


def test_sending_never_waits_for_a_reader(listener):
    reporter = Reporter(listener.getsockname())
    started = time.monotonic()
    for block in range(100):
        reporter.send(steps(block, 2000))
    assert time.monotonic() - started < 5
    reporter.close(deadline_seconds=0.01)


def test_a_listener_that_goes_away_does_not_disturb_the_rank(listener):
    reporter = Reporter(listener.getsockname())
    connection, _ = listener.accept()
    connection.close()
    for block in range(10):
        reporter.send(steps(block))
    reporter.close(Done(rank=0, dropped=0))


def test_receiver_gives_the_records_of_several_ranks(tmp_path):
    with Receiver(tmp_path / "s") as receiver:
        reporters = [Reporter(str(tmp_path / "s")) for _ in range(3)]
        for rank, reporter in enumerate(reporters):
            reporter.send(HELLO.model_copy(update={"rank": rank}))
            reporter.send(steps(rank, 2000))
            reporter.close(Done(rank=rank, dropped=0))
        received: list[Record] = []
        while not receiver.is_idle:
            received += receiver.receive(1.0)
    assert sorted(record.rank for record in received if isinstance(record, Done)) == [0, 1, 2]
    assert sorted(record.first_step for record in received if isinstance(record, Steps)) == [0, 1, 2]


def test_flushing_loses_no_steps_however_slowly_they_are_read(listener):
    reporter = Reporter(listener.getsockname(), max_queued_steps=2)
    connection, _ = listener.accept()
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read_all, connection)
        for first in range(0, 200_000, 1000):
            reporter.send(steps(first, 1000))
            reporter.flush()
        reporter.close(Done(rank=0, dropped=0))
        records = reading.result()
    assert [record.first_step for record in records[:-1]] == list(range(0, 200_000, 1000))
    assert records[-1] == Done(rank=0, dropped=0)


def test_flushing_gives_up_on_who_does_not_read(listener):
    reporter = Reporter(listener.getsockname())
    connection, _ = listener.accept()
    with connection:
        for first in range(0, 100_000, 1000):
            reporter.send(steps(first, 1000))
        before = time.monotonic()
        reporter.flush(deadline_seconds=0.2)
        assert 0.2 <= time.monotonic() - before < 5
        reporter.close(deadline_seconds=0)


def test_bytes_of_another_encoding_are_told_as_question_marks() -> None:
    """Variables and paths may hold bytes that UTF-8 cannot encode, which Python keeps as surrogates."""
    told = Failure(rank=0, reason="rank_exit", message=os.fsdecode(b"caf\xe9.py is not there."))
    assert RECORD.validate_json(told.model_dump_json()) == told
    assert told.message == "caf?.py is not there."
    surroundings = take_environment(0, [0], {}, {"LD_PRELOAD": os.fsdecode(b"caf\xe9")})
    assert RECORD.validate_json(surroundings.model_dump_json()) == surroundings
    assert surroundings.variables == {"LD_PRELOAD": "caf?"}
