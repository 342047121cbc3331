"""A training script of one's own, as a job of kind script runs it on every rank: PyTorch, with our gradient sum.

Put it into the folder of scripts of every node's agent; alone it runs under mpiexec -n 2 python own_training.py.
"""

import torch
from sklearn.datasets import load_digits

import ringscope

comm = ringscope.init()
pictures, labels = (torch.from_numpy(array) for array in load_digits(return_X_y=True))
inputs, targets = pictures.float()[comm.rank :: comm.size] / 16, labels[comm.rank :: comm.size]
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
optimizer = ringscope.DistributedOptimizer(torch.optim.AdamW(model.parameters(), lr=3e-3), model)

for _ in range(200):
    mine = torch.randint(len(inputs), (64,))
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(inputs[mine]), targets[mine])
    loss.backward()
    optimizer.step()
    ringscope.log_step(loss=loss.item(), samples=len(mine))
if comm.rank == 0:
    print(f"loss {loss.item():.3f}")
