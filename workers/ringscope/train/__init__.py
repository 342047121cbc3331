"""Training jobs: every rank has the whole model and its part of each batch. The only package that uses PyTorch."""
