"""The `ringscope` command: its commands are in `commands/`, shared helpers next to it."""
