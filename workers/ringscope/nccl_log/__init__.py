"""NCCL's own account of a communicator, read from logs of NCCL_DEBUG=INFO: rings, trees, NVLS, and their transports.

Pure. ``lines.parse`` recognizes lines, ``reading.read`` collects them, ``remarks.remarks`` says what matters.
"""
