"""Messages between the stages of a pipeline, which a thread of its own moves while the stage computes.

MPI moves a large message only while both ranks are inside its calls, so without the thread a send would last until the
sender has finished its next forward or backward.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

from ringscope.engine.waiting.pause import sleep_while

if TYPE_CHECKING:
    from ringscope.engine.point_to_point import Messages, PointToPoint

_NAP_SECONDS = 100e-6  # between two looks of the thread, which take a few microseconds of the computing thread's time


class MessageThread:
    """Starts messages, and completes sends in its thread; the caller waits for what it receives."""

    def __init__(self, post: PointToPoint, is_crowded: bool = False) -> None:
        """``is_crowded``: ranks share cores, so that a waiting rank should sleep to leave the core to another one."""
        self._post = post
        self._underway: list[tuple[Messages, torch.Tensor, Callable[[], None]]] = []
        self._lock, self._is_active, self._is_closed = threading.Lock(), threading.Event(), False
        self._error: Exception | None = None
        self._is_waiting = False
        self._is_crowded = is_crowded
        self._thread = threading.Thread(target=self._run, name="ringscope-messages", daemon=True)
        self._thread.start()

    @contextmanager
    def step(self, number: int) -> Iterator[None]:
        """Move messages during this block, and at its end wait for those that were sent; ``number`` is for errors."""
        self._is_active.set()
        try:
            yield
            with self._lock, self._sleeping():
                for messages, _, note in self._underway:
                    messages.wait(number)
                    note()
                self._underway.clear()
        finally:
            with self._lock:
                self._is_active.clear()
                self._underway.clear()
        if self._error is not None:
            raise self._error

    def send(self, tensor: torch.Tensor, rank: int, tag: int, note: Callable[[], None]) -> None:
        """Start to send a tensor, which nobody may change; ``note`` is called when that is over."""
        messages = self._post.messages()
        messages.send(tensor.numpy(), rank, tag)
        with self._lock:
            self._underway.append((messages, tensor, note))

    def receive(self, tensor: torch.Tensor, rank: int, tag: int) -> Messages:
        """Start to receive into a tensor."""
        messages = self._post.messages()
        messages.receive(tensor.numpy(), rank, tag)
        return messages

    def wait(self, messages: Messages, step: int) -> None:
        """Wait for what was received; the engine's errors name the rank that is missing."""
        with self._sleeping():
            messages.wait(step)

    def close(self) -> None:
        """End the thread."""
        self._is_closed = True
        self._is_active.set()
        self._thread.join()

    @contextmanager
    def _sleeping(self) -> Iterator[None]:
        self._is_waiting = self._is_crowded
        sleep_while(lambda: self._is_waiting)
        try:
            yield
        finally:
            self._is_waiting = False

    def _run(self) -> None:
        while True:
            self._is_active.wait()
            if self._is_closed:
                return
            with self._lock:
                if self._is_active.is_set():
                    self._look()
            time.sleep(_NAP_SECONDS)

    def _look(self) -> None:
        """Note which sends are over; the look itself lets MPI move the others, and what is received."""
        try:
            self._post.advance()
            left = []
            for each in self._underway:
                if each[0].are_done():
                    each[2]()
                else:
                    left.append(each)
            self._underway[:] = left
        except Exception as error:  # whatever it is, the computing thread raises it
            self._error = error
            self._underway.clear()
