"""Training jobs: epochs, buckets of gradients, the curve over all attempts, the figures beside the job."""
