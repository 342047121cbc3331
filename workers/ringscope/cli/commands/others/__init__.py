"""Commands that explain jobs of other programs, from their files."""
