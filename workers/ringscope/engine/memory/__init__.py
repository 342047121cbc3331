"""Memory that ranks share or send: where it lies, and how two values in it become one."""
