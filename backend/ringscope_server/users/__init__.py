"""Tokens, roles, sessions, login links."""
