"""Mirrored training with the optimizer in equal shares: each rank updates its share of the parameters.

Source: S. Rajbhandari et al., ZeRO: Memory Optimizations Toward Training Trillion Parameter Models, SC 2020. The
gradients are reduce-scattered and the updated parameters all-gathered, which together send what an all-reduce sends.
"""
