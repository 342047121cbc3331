"""A gang on this node: the check that it can run here, its launch, evidence, and the reason for its end."""
