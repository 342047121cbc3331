"""The cost model's parameters from measured rows: α, β and γ for ranges of message sizes. Pure."""
