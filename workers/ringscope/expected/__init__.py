"""Judgements of measured bus bandwidths: what was to be expected, and where that comes from.

Pure, but for the data file of published rows that comes with the package.
"""
