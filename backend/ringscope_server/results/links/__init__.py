"""Measurements between two nodes: the newest of a sendrecv of one rank on each node, and of a diagnosis."""
