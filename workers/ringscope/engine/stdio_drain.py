"""Deliver the output of a program before it ends; otherwise its last lines may be lost."""

import fcntl
import os
import stat
import struct
import sys
import termios
import time

_READERS_SECONDS = 2.0  # a launcher reads at once; one that is stopped must not keep this program
_LOOK_SECONDS = 0.001  # a writer gets no event when a pipe has been emptied


def drain() -> None:
    """Wait until what this program wrote to stdout and stderr was taken out of their pipes, if they are pipes.

    Hydra's proxy that finds an output and an MPI_Abort of the same rank at once may act on the abort first, and then
    never passes the output on: without this, half of the sentences before an abort were lost.
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
