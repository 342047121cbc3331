"""The engine: executes schedules, and calls the libraries that have none, on the ranks of one gang.

The only room that knows MPI, NCCL and CuPy. It measures nothing and reports to nobody.
"""
