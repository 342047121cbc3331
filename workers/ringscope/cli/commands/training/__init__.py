"""Commands that train: one job, or the candidates of a search."""
