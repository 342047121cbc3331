"""Immediate messages to pages and agents: the live stream, notices between servers, signals that end a poll."""
