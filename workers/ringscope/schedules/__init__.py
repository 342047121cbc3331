"""Schedules: the transfers between ranks, step by step, and the algorithms that build them.

Pure and independent of time and transport: the price of a schedule is in ``cost``, its execution in ``engine``.
"""
