"""A gang on this node: the check that it can run here, its keeper, its launch, and the reason for its end."""
