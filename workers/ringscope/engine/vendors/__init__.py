"""Collectives that a library executes as it sees fit: MPI, NCCL, gloo. The yardsticks of our own."""
