"""Attempts: the gang of a job from its start to the proof that nothing is left of it, and the decision on a retry."""
