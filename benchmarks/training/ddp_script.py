"""A script with DistributedDataParallel that any launcher starts; ``launchers.py`` compares them with it.

    ddp_script.py FOLDER [--hook]

Each rank trains without an end. It writes its process's number to FOLDER/RANK.pid, and for each step three integers to
FOLDER/RANK.steps: when it began, in ns since 1970, how long it took, and the CPU time of its main thread, in ns.
"""

import os
import struct
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

WIDTH, LAYERS, BATCH = 512, 4, 48


def main() -> None:
    """Train until the process is ended."""
    folder = Path(sys.argv[1])
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    layers = [part for _ in range(LAYERS) for part in (torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU())]
    model = DistributedDataParallel(torch.nn.Sequential(*layers), gradient_as_bucket_view=True)
    if "--hook" in sys.argv:
        import ringscope

        model.register_comm_hook(None, ringscope.ddp_hook)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(TensorDataset(torch.randn(BATCH * 16, WIDTH)), batch_size=BATCH)
    (folder / f"{rank}.pid").write_text(str(os.getpid()))
    with (folder / f"{rank}.steps").open("wb", buffering=0) as file:
        while True:
            began_ns, cpu_ns, since_ns = time.time_ns(), time.thread_time_ns(), time.perf_counter_ns()
            for (batch,) in loader:
                optimizer.zero_grad()
                model(batch).square().mean().backward()
                optimizer.step()
                now_ns, now_cpu_ns = time.perf_counter_ns(), time.thread_time_ns()
                file.write(struct.pack("=3q", began_ns, now_ns - since_ns, now_cpu_ns - cpu_ns))
                began_ns, cpu_ns, since_ns = time.time_ns(), now_cpu_ns, now_ns


if __name__ == "__main__":
    main()
