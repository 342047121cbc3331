"""The report of a job as one HTML file, the same as `ringscope report JOB` writes."""
