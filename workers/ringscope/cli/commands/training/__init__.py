"""Commands that train: one job, the candidates of a search, or a script without a server."""
