"""The bytes that a rank sends, counted by the engine or by the kernel."""

import socket

from ringscope.engine.traffic import TRAFFIC
from ringscope.train.search.sent_bytes import SentBytes, counter, socket_bytes


def test_the_kernel_counts_what_leaves_by_tcp_and_the_most_stays_when_a_connection_is_closed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        sent = SentBytes("torch_ddp")
        with socket.create_connection(server.getsockname()) as here, server.accept()[0] as there:
            before = socket_bytes()
            here.sendall(b"x" * 50_000)
            left = 50_000
            while left:
                left -= len(there.recv(left))
            assert before is not None and socket_bytes() == before + 50_000
            sent.read()
        sent.read()  # both ends are closed
        assert sent.bytes is not None and sent.bytes >= 50_000


def test_the_engine_counts_what_its_transports_move() -> None:
    sent = SentBytes("mirrored")
    TRAFFIC.add(1000)
    TRAFFIC.add(24)
    sent.read()
    assert sent.bytes == 1024


def test_nobody_counts_what_a_library_moves() -> None:
    sent = SentBytes("mirrored")
    TRAFFIC.add(1000)
    TRAFFIC.add_library_call()
    sent.read()
    assert sent.bytes is None
    assert counter("tf_mirrored")() is None
