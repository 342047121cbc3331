"""What exporters and Prometheus' pace have to do with each other (pure)."""

LEAST_LINGER_SECONDS = 5.0


def linger_seconds(scrape_interval_seconds: float) -> float:
    """How long a job's series outlive the job, so that Prometheus sees their last values."""
    return max(2 * scrape_interval_seconds, LEAST_LINGER_SECONDS)
