"""Slurm allocations in which the agents of `ringscope slurm` run."""
