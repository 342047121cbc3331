"""Traced operations compared with the model: wire times, slow hops, and files for Perfetto. Pure."""
