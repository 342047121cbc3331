"""What keeps the server's own work going while more is asked of it than it can do."""
