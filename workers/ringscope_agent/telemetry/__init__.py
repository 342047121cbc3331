"""What ranks say on its way to the server: heard, spooled, delivered."""
