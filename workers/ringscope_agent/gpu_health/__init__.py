"""The health of this node's GPUs: what NVML says now, what is wrong with them, and what happened while a job ran."""
