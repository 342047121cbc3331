"""Waiting for other ranks: with a timeout, a check that their processes run, and the name of the missing rank."""
