"""Stragglers: the ranks that are slow, and why."""
