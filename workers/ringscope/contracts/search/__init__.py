"""The contract of a strategy search: its specification and its records. Pure."""
