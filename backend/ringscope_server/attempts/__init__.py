"""Attempts: the gang of a job from its start to the proof that nothing is left of it, and whether it is tried again."""
