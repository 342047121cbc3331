"""A cluster on one machine: network namespaces as hosts, shaped links between them, an agent in each."""
