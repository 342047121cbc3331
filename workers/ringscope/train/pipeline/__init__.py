"""Pipeline: each rank computes some of the model's layers, and micro-batches pass through the ranks.

Sources: Y. Huang et al., GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism, NeurIPS 2019;
D. Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM, SC 2021 (1F1B and
its interleaved form).
"""
