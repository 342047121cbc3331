"""Results of other tools, checked and judged."""
