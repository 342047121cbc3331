"""The scheduler: a pure plan and the loop that applies it."""
