"""The sweep: timed blocks over sizes and algorithms, and the check of every result."""
