"""The ranks' records on their way to the server: received, spooled, delivered."""
