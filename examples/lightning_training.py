"""Training with PyTorch Lightning; nothing here knows Ringscope.

It runs unchanged under torchrun, `ringscope run --ranks 2`, and as a job of kind script: the launcher has started every
rank, and Lightning finds them by torchrun's variables.
"""

import os

import lightning
import torch
from torch.utils.data import DataLoader, TensorDataset


class Line(lightning.LightningModule):
    """A linear model of eight inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)

    def training_step(self, batch: list[torch.Tensor]) -> torch.Tensor:
        """Return the loss of a batch."""
        inputs, targets = batch
        loss = torch.nn.functional.mse_loss(self.layer(inputs).squeeze(-1), targets)
        self.log("loss", loss, sync_dist=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Return the optimizer."""
        return torch.optim.SGD(self.parameters(), lr=0.1)


torch.manual_seed(0)
inputs = torch.randn(512, 8)
data = DataLoader(TensorDataset(inputs, inputs @ torch.arange(8.0) + 1), batch_size=32, shuffle=True)
trainer = lightning.Trainer(
    max_epochs=8,
    accelerator="auto" if torch.cuda.is_available() else "cpu",
    devices=int(os.environ.get("LOCAL_WORLD_SIZE", "1")),
    num_nodes=int(os.environ.get("GROUP_WORLD_SIZE", "1")),
    strategy="ddp",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(Line(), data)
if trainer.is_global_zero:
    print(f"{trainer.world_size} ranks, loss {trainer.callback_metrics['loss'].item():.4f}", flush=True)
