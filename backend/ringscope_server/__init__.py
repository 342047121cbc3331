"""The server: HTTP, SQL, scheduling, live events."""
