"""Explanations of files that other programs wrote: hangs, logs of NCCL, its Inspector and RAS, results."""
