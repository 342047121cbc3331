"""Measures that keep the server's own work going while requests overload it."""
