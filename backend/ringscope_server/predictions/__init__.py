"""The expected bandwidth and duration of a job: by the cost model, by its links and by earlier runs."""
