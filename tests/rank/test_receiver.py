import socket
from pathlib import Path

from ringscope.contracts.record import Done, Hello
from ringscope.rank.receiver import Receiver


def test_ranks_that_hang_up_together_are_told_in_their_order(tmp_path: Path) -> None:
    with Receiver(tmp_path / "s") as receiver:
        ranks = [socket.socket(socket.AF_UNIX) for _ in range(3)]
        for number, rank in enumerate(ranks):
            rank.connect(str(tmp_path / "s"))
            hello = Hello(rank=number, local_rank=number, ranks=3, pid=1, host="h", time_ns=0)
            rank.sendall(hello.model_dump_json().encode() + b"\n")
        while not receiver.is_idle:
            list(receiver.receive(0))
        # The first to go has more to say than is read at once.
        done = Done(rank=2, dropped=0).model_dump_json().encode() + b"\n"
        ranks[2].sendall(done * (100_000 // len(done)))
        for number in (2, 0, 1):
            ranks[number].close()
        while not receiver.is_idle:
            list(receiver.receive(0))
        assert receiver.hang_ups == {2: 0, 0: 1, 1: 2}
        assert list(receiver.hang_ups) == [0, 1, 2], "read to the end in another order"
