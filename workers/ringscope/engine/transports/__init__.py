"""Transports: ways to execute a schedule."""
