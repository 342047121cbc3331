"""The explanation of a hang from the dumps of PyTorch's Flight Recorder: which rank is missing in which operation.

Pure. ``dumps.read_dump`` reads a file, ``verdict.explain`` compares the dumps of all ranks.
"""
