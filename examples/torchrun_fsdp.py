"""PyTorch's fully sharded data parallelism as torchrun starts it; nothing here knows Ringscope.

It runs unchanged under `torchrun --nproc-per-node 2`, `ringscope run --ranks 2`, and as a job of kind script.
"""

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

kind = "cuda" if torch.cuda.is_available() else "cpu"
dist.init_process_group("nccl" if kind == "cuda" else "gloo")
rank, ranks = dist.get_rank(), dist.get_world_size()
if kind == "cuda":
    torch.cuda.set_device(dist.get_node_local_rank())
torch.manual_seed(0)
inputs = torch.randn(512, 8)
targets = inputs @ torch.arange(8.0) + 1
mine = slice(rank, None, ranks)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Linear(32, 1)).to(kind)
for layer in model:
    fully_shard(layer, mesh=init_device_mesh(kind, (ranks,)))
fully_shard(model, mesh=init_device_mesh(kind, (ranks,)))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)

for _ in range(200):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(inputs[mine].to(kind)).squeeze(-1), targets[mine].to(kind))
    loss.backward()
    optimizer.step()
loss = loss.detach()
dist.all_reduce(loss)
if rank == 0:
    print(f"{ranks} ranks, loss {loss.item() / ranks:.4f}", flush=True)
dist.destroy_process_group()
