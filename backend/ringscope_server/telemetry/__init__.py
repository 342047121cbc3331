"""Records from agents into SQL, exactly once."""
