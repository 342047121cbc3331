"""Commands that measure the links between nodes, and find what slows a collective on them."""
