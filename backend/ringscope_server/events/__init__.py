"""The event table and the live stream."""
