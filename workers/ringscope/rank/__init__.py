"""A rank: the program that runs a job's part, what a script in it calls, how it tells what it did, and who starts it.

``python -m ringscope.rank`` is its command.
"""
