"""Results of other tools, read from their logs: every printed cell is kept and recomputed, and none is repaired.

Pure.
"""
