"""Tags of the messages between workers and servers."""

from enum import IntEnum


class Tag(IntEnum):
    """The kinds of messages."""

    GRADIENT = 1  # a gradient of the server's shard, one after each step
    PARAMETERS = 2  # the answer to it
    CLOCKS = 3  # the parameters when all workers meet, in addition to the answer
    STATE = 4  # a row of the optimizer's state; at the start the parameters precede it
    STEPS = 5  # steps of the optimizer, in addition to its state
    STOP = 6
