"""Statistics that decide which algorithm of a sweep wins, which of two jobs is faster, and how sure that is. Pure."""
