"""Schedules: who sends what to whom, step by step, and the algorithms that make them.

Pure, and knows neither time nor transport: what a schedule costs is in ``cost``, who executes it in ``engine``.
"""
