"""Waiting for other ranks: with a deadline, an eye on whether they live, and a name for who is missing."""
