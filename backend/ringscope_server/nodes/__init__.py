"""Nodes: registration, heartbeat, assignments."""
