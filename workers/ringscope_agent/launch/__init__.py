"""A gang on this node: whether it can run here, its keeper, its launch, and why it ended."""
