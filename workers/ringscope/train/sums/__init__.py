"""Sum gradients over all ranks, bucket by bucket, while the backward pass computes the others."""
