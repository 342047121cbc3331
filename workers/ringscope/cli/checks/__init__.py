"""The parts of `ringscope check`: this machine alone, nodes of a server, and the output of both."""
