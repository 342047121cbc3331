"""The thread of messages: sends end by the end of the step, and the stage raises what goes wrong in the thread."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from ringscope.train.pipeline.message_thread import MessageThread


class Messages:
    """One message, which is done once ``done`` is set."""

    def __init__(self, done: threading.Event) -> None:
        self._done = done

    def send(self, array: Any, rank: int, tag: int) -> None:
        pass

    def are_done(self) -> bool:
        return self._done.is_set()

    def wait(self, step: int) -> None:
        assert self._done.wait(10)


def thread_of(done: threading.Event, advance: Any = lambda: None) -> MessageThread:
    post: Any = SimpleNamespace(messages=lambda: Messages(done), advance=advance)
    return MessageThread(post)


def test_its_thread_notes_the_end_of_a_send_while_the_stage_computes() -> None:
    done, noted = threading.Event(), threading.Event()
    messages = thread_of(done)
    with messages.step(0):
        messages.send(torch.zeros(2), 1, 0, noted.set)
        done.set()
        assert noted.wait(10)
    messages.close()


def test_a_step_ends_after_its_sends() -> None:
    done, ended = threading.Event(), list[str]()
    messages = thread_of(done)
    with messages.step(0):
        messages.send(torch.zeros(2), 1, 0, lambda: ended.append("send"))
        threading.Timer(0.01, done.set).start()
    assert ended == ["send"]
    messages.close()


def test_an_error_of_its_thread_ends_the_step() -> None:
    looked = threading.Event()

    def advance() -> None:
        looked.set()
        raise RuntimeError("the link is gone")

    messages = thread_of(threading.Event(), advance)
    with pytest.raises(RuntimeError, match="the link is gone"), messages.step(0):
        assert looked.wait(10)
    messages.close()
