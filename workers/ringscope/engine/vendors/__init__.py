"""Collectives of the libraries MPI, NCCL and gloo: the references for our own."""
