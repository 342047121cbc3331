"""Schedules: the transfers between ranks, step by step, and the algorithms that build them.

Pure, and knows neither time nor transport: what a schedule costs is in ``cost``, who executes it in ``engine``.
"""
