"""Links inside a node by class of GPU, from the vendors' data sheets. Pure."""

from typing import NamedTuple

from ringscope.cost.nccl_model import Architecture


class Gpu(NamedTuple):
    """One class of GPU: GB/s of its links in one direction, whether its switches reduce (NVLS), and its domain."""

    link_gb_per_s: float
    nvls: bool
    architecture: Architecture | None  # None: NCCL's model does not describe it
    domain: int  # GPUs that such links connect


# NVIDIA's data sheets give both directions together: NVLink of V100 300, A100 600, H100 and H200 900, B200 1800 GB/s.
# AMD's gives an MI300X seven links of 128 GB/s in both directions.
GPUS: dict[str, Gpu] = {
    "V100": Gpu(150.0, False, None, 16),
    "A100": Gpu(300.0, False, "ampere", 16),
    "H100": Gpu(450.0, True, "hopper", 8),
    "H200": Gpu(450.0, True, "hopper", 8),
    "B200": Gpu(900.0, True, "blackwell", 8),
    "B300": Gpu(900.0, True, "blackwell", 8),
    "GB200": Gpu(900.0, True, "blackwell", 72),
    "GB300": Gpu(900.0, True, "blackwell", 72),
    "MI300X": Gpu(448.0, False, None, 8),
}
NVLS_LEAST_RANKS = 5  # with fewer, NCCL uses the ring (ringscope.cost.nccl_model)


def is_in_one_domain(gpu: Gpu, ranks: int, nodes: int, network: str | None) -> bool:
    """Return whether links of the GPUs connect all ranks; those of several nodes only in a rack with such links."""
    return ranks <= gpu.domain and (nodes == 1 or (gpu.domain > 16 and network in (None, "nvlink")))
