"""PyTorch's DistributedDataParallel as torchrun starts it; nothing here knows Ringscope.

It runs unchanged under `torchrun --nproc-per-node 2`, `ringscope run --ranks 2`, and as a job of kind script.
"""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
device = torch.device("cuda", dist.get_node_local_rank()) if torch.cuda.is_available() else torch.device("cpu")
torch.manual_seed(0)
inputs = torch.randn(512, 8)
targets = inputs @ torch.arange(8.0) + 1
data = TensorDataset(inputs, targets)
sampler = DistributedSampler(data)
model = DistributedDataParallel(torch.nn.Linear(8, 1).to(device))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for epoch in range(8):
    sampler.set_epoch(epoch)
    for batch, wanted in DataLoader(data, batch_size=32, sampler=sampler):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(batch.to(device)).squeeze(-1), wanted.to(device))
        loss.backward()
        optimizer.step()
dist.all_reduce(loss.detach_())
if dist.get_rank() == 0:
    print(f"{dist.get_world_size()} ranks, loss {loss.item() / dist.get_world_size():.4f}", flush=True)
dist.destroy_process_group()
