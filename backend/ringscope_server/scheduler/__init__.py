"""Which job runs where: a pure plan and the loop that applies it."""
