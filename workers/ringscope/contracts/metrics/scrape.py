"""Dependence of the exporters on Prometheus' scrape interval (pure)."""

LEAST_LINGER_SECONDS = 5.0


def linger_seconds(scrape_interval_seconds: float) -> float:
    """Return how long a job's series outlive the job, so that Prometheus scrapes their last values."""
    return max(2 * scrape_interval_seconds, LEAST_LINGER_SECONDS)
