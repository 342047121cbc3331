"""Train a model by a strategy's class, as lectures write it; the class may be the argument.

It runs under `ringscope run --ranks 2`, `mpiexec -n 2 python`, alone, and as a job of kind script.
"""

import sys

import torch
from sklearn.datasets import load_digits

import ringscope

pictures, labels = load_digits(return_X_y=True)
data = torch.from_numpy(pictures).float() / 16, torch.from_numpy(labels)

strategy = getattr(ringscope, sys.argv[1] if sys.argv[1:] else "MirroredStrategy")()
with strategy.scope():
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
fitted = strategy.fit(model, data, loss=torch.nn.CrossEntropyLoss(), epochs=4, batch_size=64)
if strategy.rank == 0:
    accuracy = fitted.history["validation_accuracy"][-1]
    print(f"{strategy.num_replicas_in_sync} replicas, accuracy {accuracy:.3f}")
