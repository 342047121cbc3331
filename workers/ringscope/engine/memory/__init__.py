"""Memory that ranks share or send: its location, and the reduction of values in it."""
