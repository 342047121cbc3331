"""Flush the output of a program before it ends; otherwise its last lines may be lost."""

import fcntl
import os
import stat
import struct
import sys
import termios
import time

_READERS_SECONDS = 2.0  # a launcher reads at once; a stopped launcher must not block this program
_LOOK_SECONDS = 0.001  # a writer gets no event when a pipe has been emptied


def drain() -> None:
    """Wait until the launcher has read everything that this program wrote to stdout and stderr, if they are pipes.

    If Hydra's proxy receives output and an MPI_Abort of the same rank at once, it may handle the abort first and never
    forward the output: without this wait, half of the messages before an abort were lost.
    """
    deadline = time.monotonic() + _READERS_SECONDS
    for stream, descriptor in ((sys.stdout, 1), (sys.stderr, 2)):
        stream.flush()
        while _unread_bytes(descriptor) and time.monotonic() < deadline:
            time.sleep(_LOOK_SECONDS)


def _unread_bytes(descriptor: int) -> int:
    if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        return 0
    return int(struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)))[0])
