"""A rank: the program that runs its part of a job, the interface for scripts, the telemetry, and the launcher.

``python -m ringscope.rank`` is its command.
"""
