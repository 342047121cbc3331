"""What was measured: rows, steps, log, summary."""
