"""ASGI middleware: what happens to every request and answer outside of the routes."""
