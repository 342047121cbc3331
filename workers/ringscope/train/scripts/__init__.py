"""Training in users' scripts: gradients that are the mean over all ranks when backward returns."""
