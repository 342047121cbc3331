"""Tensor parallelism: all ranks compute each layer together, on the same samples.

Source: M. Shoeybi et al., Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism, 2019
(arXiv:1909.08053). Of two linear layers in a row the first one is cut by its outputs and the second one by its inputs,
so that only the second one's output is summed, and backward the first one's input.
"""
