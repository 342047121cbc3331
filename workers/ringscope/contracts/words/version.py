"""The version of library, agent and server: they are one distribution."""

__version__ = "0.1.0"
# The oldest version of an agent that a server of this version accepts: the minor version before this one. There is none
# before the first.
OLDEST_AGENT = "0.1"
