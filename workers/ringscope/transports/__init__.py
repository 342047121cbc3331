"""Transports: ways to execute a schedule. The only package of the engine that knows MPI."""
