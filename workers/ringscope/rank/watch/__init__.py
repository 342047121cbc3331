"""The steps, collectives and waits for samples of a script that nobody changed, seen from outside."""
