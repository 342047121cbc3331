"""The search of the fastest strategy: its candidates, the order of their runs, and the verdict. Pure."""
