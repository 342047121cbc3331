"""Ringscope: all-reduce benchmarks and data-parallel training on a ring engine, scheduled, measured and shown live."""

__version__ = "0.1.0"
