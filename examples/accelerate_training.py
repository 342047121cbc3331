"""Training with Hugging Face's Accelerate; nothing here knows Ringscope.

It runs unchanged under `accelerate launch`, `torchrun`, `ringscope run --ranks 2`, and as a job of kind script.
"""

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(cpu=not torch.cuda.is_available())
torch.manual_seed(0)
inputs = torch.randn(512, 8)
targets = inputs @ torch.arange(8.0) + 1
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = DataLoader(TensorDataset(inputs, targets), batch_size=32, shuffle=True)
model, optimizer, data = accelerator.prepare(model, optimizer, data)

for _ in range(8):
    for batch, wanted in data:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(batch).squeeze(-1), wanted)
        accelerator.backward(loss)
        optimizer.step()
loss = accelerator.reduce(loss.detach(), "mean")
if accelerator.is_main_process:
    print(f"{accelerator.num_processes} ranks, loss {loss.item():.4f}", flush=True)
accelerator.end_training()
