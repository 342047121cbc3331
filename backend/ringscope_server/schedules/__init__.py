"""Jobs that are submitted repeatedly, at the times of a cron expression."""
