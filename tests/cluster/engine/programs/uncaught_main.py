"""Run by test_stalls.py: rank 1 of a program of one's own meets an error while rank 0 waits for it."""

import ringscope

comm = ringscope.init()
x = ringscope.empty(8)
ringscope.all_reduce(x)
if comm.rank == 1:
    raise ValueError("a bad batch")
ringscope.all_reduce(x)
