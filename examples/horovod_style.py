"""A script for Horovod, of which only the import line was changed.

It runs under `ringscope run --ranks 2`, `mpiexec -n 2 python`, and as a job of kind script.
"""

import torch

import ringscope.horovod as hvd  # was: import horovod.torch as hvd

hvd.init()
if torch.cuda.is_available():
    torch.cuda.set_device(hvd.local_rank())
torch.manual_seed(hvd.rank())
inputs = torch.randn(512, 8, generator=torch.Generator().manual_seed(0))
targets = inputs @ torch.arange(8.0) + 1
mine = slice(hvd.rank(), None, hvd.size())
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.5)
optimizer = hvd.DistributedOptimizer(optimizer, named_parameters=model.named_parameters())
hvd.broadcast_parameters(model.state_dict(), root_rank=0)
hvd.broadcast_optimizer_state(optimizer, root_rank=0)

for _ in range(100):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(inputs[mine]).squeeze(-1), targets[mine])
    loss.backward()
    optimizer.step()
loss = hvd.allreduce(loss, name="loss")
if hvd.rank() == 0:
    print(f"{hvd.size()} ranks, loss {loss.item():.4f}", flush=True)
