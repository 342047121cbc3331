import pytest

from ringscope.engine.errors import LostConnectionError, LostRankError
from ringscope.engine.waiting import library_errors
from ringscope.engine.waiting.library_errors import naming_lost_ranks

GLOO = "/__w/pytorch/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc"
READ = f"[{GLOO}:537] Read error [127.0.0.1]:38095: Connection reset by peer. This is typically caused by"
CLOSED = f"[{GLOO}:547] Connection closed by peer [10.0.0.2]:2334. This is typically caused by"
WRITE = f"[{GLOO}:276] writev [10.0.0.2]:2334: Broken pipe"
NCCL = (
    "NCCL error: remote process exited or there was a network error, NCCL version 2.27\nncclRemoteError: A call failed."
)


ABORTED = """{{function_node __inference_<lambda>_317}} Collective ops is aborted by: recvmsg:Connection reset by peer
Additional GRPC error information from remote target /job:worker/replica:0/task:1"""


class Rank:
    """Rank 2; of the others on its node, those in ``ended`` have ended from the second look on."""

    rank = 2

    def __init__(self, *ended: int) -> None:
        self._ended, self._looks = list(ended), 0

    def ended_ranks(self) -> list[int]:
        self._looks += 1
        return self._ended if self._looks > 1 else []


@pytest.mark.parametrize("text", [READ, CLOSED, WRITE, NCCL])
def test_a_lost_connection_names_the_rank_of_this_node_that_has_ended(text: str) -> None:
    with pytest.raises(LostRankError) as raised, naming_lost_ranks(Rank(1)):
        raise RuntimeError(text)
    assert raised.value.peer == 1
    assert str(raised.value).startswith("Rank 2 lost rank 1 in a call of PyTorch: its process has ended;")


def test_without_such_a_rank_the_lost_one_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_errors, "_END_SECONDS", 0.02)
    with pytest.raises(LostConnectionError) as raised, naming_lost_ranks(Rank()):
        raise RuntimeError(CLOSED)
    assert str(raised.value) == (
        "Rank 2 lost its connection to another rank in a call of PyTorch (Connection closed by peer "
        "[10.0.0.2]:2334); see the last output of the other ranks, and start all ranks again."
    )


@pytest.mark.parametrize(("name", "is_lost"), [("UnavailableError", True), ("InvalidArgumentError", False)])
def test_tensorflow_says_it_by_the_type_of_its_error(name: str, is_lost: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_errors, "_END_SECONDS", 0.0)
    kind = type(name, (Exception,), {"__module__": "tensorflow.python.framework.errors_impl"})
    with pytest.raises(LostConnectionError if is_lost else kind) as raised, naming_lost_ranks(Rank()):
        raise kind(ABORTED)
    if is_lost:
        words = "a call of TensorFlow (Collective ops is aborted by: recvmsg:Connection reset by peer); see"
        assert words in str(raised.value)


@pytest.mark.parametrize("error", [RuntimeError("shape '[3]' is invalid"), ConnectionResetError(104, "reset by peer")])
def test_other_errors_pass(error: Exception) -> None:
    with pytest.raises(type(error)) as raised, naming_lost_ranks(Rank(1)):
        raise error
    assert raised.value is error
