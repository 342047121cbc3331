"""Training jobs: epochs, buckets of gradients, the curve over all attempts, the stored figures of the job."""
