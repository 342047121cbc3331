"""Gradient compression: a module for each method."""

from ringscope.contracts.training import TrainingSpec
from ringscope.train.compression.base import Collectives, Compressor, Shapes
from ringscope.train.compression.fp16 import Fp16
from ringscope.train.compression.powersgd import PowerSgd
from ringscope.train.compression.top_k import TopK

__all__ = ["Collectives", "Compressor", "Shapes", "compression"]


def compression(spec: TrainingSpec, ranks: int) -> Compressor | None:
    """Return the job's compressor, one on each rank; None if gradients are not compressed, or there is one rank."""
    if ranks == 1:
        return None
    match spec.compression:
        case "none":
            return None
        case "fp16":
            return Fp16()
        case "top_k":
            return TopK(spec.top_k_percent)
        case "powersgd":
            return PowerSgd(spec.powersgd_rank, spec.seed)
