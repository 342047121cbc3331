"""Jobs and attempts: states, transitions, services."""
