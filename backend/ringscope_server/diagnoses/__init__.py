"""Diagnoses: the pairs of nodes that they measured, and their verdicts."""
