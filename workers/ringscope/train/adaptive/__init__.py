"""The algorithm of ``auto`` while a job trains: tried in its first steps, and again when sums become slower."""
