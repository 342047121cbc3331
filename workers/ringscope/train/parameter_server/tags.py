"""Tags of the messages between workers and servers."""

from enum import IntEnum


class Tag(IntEnum):
    """The kinds of messages."""

    GRADIENT = 1  # of the server's shard, one after each step
    PARAMETERS = 2  # the answer to it
    CLOCKS = 3  # of all workers, in addition to the answer
    STATE = 4  # a row of what the optimizer keeps; at the start the parameters before it
    STEPS = 5  # of the optimizer, in addition to its state
    STOP = 6
