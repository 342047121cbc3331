"""Waiting for other ranks: with a timeout, a check that they live, and the name of the missing rank."""
