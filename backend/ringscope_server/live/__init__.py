"""What pages and agents hear at once: messages of the live stream, notices between servers, signals that end a poll."""
