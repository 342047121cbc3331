"""The `ringscope` command: one module per group of commands."""
