"""What a job should reach and take: by the cost model, by its links, by earlier runs."""
