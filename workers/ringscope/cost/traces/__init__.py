"""Traced operations beside the model: wire times, slow hops, and files for Perfetto. Pure."""
