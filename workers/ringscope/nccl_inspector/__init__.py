"""Records of NCCL Inspector, which NCCL's profiler plugin writes while a job runs, as series of bus bandwidth. Pure."""
