"""The results of jobs: rows, steps, log, summary."""
