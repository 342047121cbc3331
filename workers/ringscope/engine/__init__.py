"""The engine: executes schedules, and calls the libraries that have none, on the ranks of one gang.

It is the only package that uses MPI, NCCL and CuPy. It measures nothing and reports nothing.
"""
