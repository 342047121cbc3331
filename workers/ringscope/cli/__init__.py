"""The `ringscope` command: its commands lie in `commands/`, beside them what several of them share."""
