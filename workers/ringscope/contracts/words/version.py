"""The version of library, agent and server: they are one distribution."""

__version__ = "0.1.0"
