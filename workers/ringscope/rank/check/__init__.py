"""Measurements of this machine alone, for `ringscope check --here`."""
