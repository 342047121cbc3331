"""Placement: a pure plan of which job runs where and when, from a snapshot of nodes and jobs read from the tables.

``scheduler`` applies it; previews before a submission use the same plan.
"""
