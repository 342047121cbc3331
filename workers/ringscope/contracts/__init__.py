"""The contracts shared by rank, agent, server and command line: specifications, records, protocol and vocabulary.

A module belongs here only if at least two of them must agree on it. Pure: no I/O, no clock.
"""
