"""Run by test_equality.py on every rank: one small model trained in many ways, each beside a single process.

The reference is a plain PyTorch loop over the whole global batch; it shares only data, model and order with ours.
"""

import json
import sys
import traceback
from typing import Any

import numpy as np
import torch

from ringscope.contracts.record import Record, Steps
from ringscope.contracts.training import TrainingSpec
from ringscope.engine.communicator import Communicator
from ringscope.engine.transports.mpi import abort
from ringscope.train import data, models
from ringscope.train.digest import digest
from ringscope.train.optimizer import build_optimizer
from ringscope.train.program import assemble
from ringscope.train.sampler import Sampler

STEPS = 50
BASE = {
    "model": "mlp",
    "model_arguments": {"hidden": 16, "layers": 2},
    "dataset": {"name": "synthetic", "samples": 512},
    "global_batch_size": 36,
    "epochs": 9,
    "max_steps": STEPS,
    "bucket_bytes": 65536,
    "learning_rate": 0.02,
    "all_reduce": "direct",
}
ALGORITHMS = [
    *("ring", "ring_pipelined", "direct", "recursive_doubling", "halving_doubling", "tree", "double_tree"),
    *("hierarchical", "parameter_server", "naive", "mpi", "gloo", "auto"),
]
DIVIDED = {"model_arguments": {"hidden": 12, "layers": 2}}  # as 2, 3 and 4 ranks can
VARIANTS: dict[str, dict[str, object]] = {
    **{algorithm: {"all_reduce": algorithm} for algorithm in ALGORITHMS},
    "messages": {"transport": "mpi", "all_reduce": "ring"},
    "small buckets": {"bucket_bytes": 1024},
    "one bucket": {"bucket_bytes": 1 << 25},
    "no overlap": {"overlap": False},
    "no overlap, small buckets": {"overlap": False, "bucket_bytes": 1024},
    "accumulation": {"accumulation_steps": 3},
    "accumulation, no overlap": {"accumulation_steps": 3, "overlap": False},
    "speed": {"batch_split": "speed"},
    "adam": {"optimizer": "adam", "learning_rate": 1e-4},
    "adamw": {"optimizer": "adamw", "learning_rate": 1e-4, "weight_decay": 0.1},
    "clipping": {"clip_norm": 0.1},
    "multi_worker_mirrored": {"strategy": "multi_worker_mirrored"},
    "local_sgd": {"strategy": "local_sgd", "sync_every": 1, "momentum": 0.0},
    "sharded": {"strategy": "sharded"},
    "sharded, accumulation": {"strategy": "sharded", "accumulation_steps": 3},
    "sharded, adam": {"strategy": "sharded", "optimizer": "adam", "learning_rate": 1e-4},
    "sharded, clipping": {"strategy": "sharded", "clip_norm": 0.1},
    "sharded, speed": {"strategy": "sharded", "batch_split": "speed"},
    "sharded, messages": {"strategy": "sharded", "transport": "mpi", "all_reduce": "hierarchical"},
    "pipeline": {"strategy": "pipeline"},
    "pipeline, gpipe": {"strategy": "pipeline", "schedule": "gpipe", "micro_batches": 7},
    "pipeline, clipping": {"strategy": "pipeline", "clip_norm": 0.1},
    "tensor": {"strategy": "tensor"} | DIVIDED,
    "tensor, accumulation": {"strategy": "tensor", "accumulation_steps": 5} | DIVIDED,
    "tensor, adam": {"strategy": "tensor", "optimizer": "adam", "learning_rate": 1e-4} | DIVIDED,
    "tensor, clipping": {"strategy": "tensor", "clip_norm": 0.1} | DIVIDED,
    "tensor, messages": {"strategy": "tensor", "transport": "mpi", "all_reduce": "ring"} | DIVIDED,
    "torch_ddp": {"strategy": "torch_ddp", "all_reduce": "auto"},
    "torch_ddp, accumulation": {"strategy": "torch_ddp", "all_reduce": "auto", "accumulation_steps": 3},
    "torch_fsdp": {"strategy": "torch_fsdp", "all_reduce": "auto"},
    "torch_fsdp, accumulation": {"strategy": "torch_fsdp", "all_reduce": "auto", "accumulation_steps": 3},
    "torch_fsdp, clipping": {"strategy": "torch_fsdp", "all_reduce": "auto", "clip_norm": 0.1},
    "bfloat16": {"precision": "bfloat16"},
    "sharded, bfloat16": {"strategy": "sharded", "precision": "bfloat16"},
    "tensor, bfloat16": {"strategy": "tensor", "precision": "bfloat16"} | DIVIDED,
    "fp16 sums": {"compression": "fp16"},
    "top-k sums": {"compression": "top_k", "top_k_percent": 5},
    "PowerSGD sums": {"compression": "powersgd", "overlap": False},
}


def reference(spec: TrainingSpec) -> torch.nn.Module:
    """Return the model as a single process trains it on the same batches."""
    dataset = data.load(spec)
    module = models.build(spec, dataset)
    optimizer = build_optimizer(spec, module)
    sampler = Sampler(len(dataset.training), spec.global_batch_size, spec.seed)
    for step in range(STEPS):
        batch = sampler.batch(*divmod(step, sampler.steps_per_epoch))
        inputs, targets = dataset.training.batch(torch.from_numpy(batch))
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(module(inputs), targets).backward()
        if spec.clip_norm:
            torch.nn.utils.clip_grad_norm_(module.parameters(), spec.clip_norm)
        optimizer.step()
    return module


def difference(one: torch.nn.Module, other: torch.nn.Module) -> float:
    """Return the largest difference of any parameter."""
    pairs = zip(one.parameters(), other.parameters(), strict=True)
    return max(float((first - second).detach().abs().max()) for first, second in pairs)


def slow_down(comm: Communicator, trainer: Any) -> None:
    """Make rank 0 seem slow to the code that splits the batch; its results stay the same."""
    samples = trainer._samples
    note = samples.note
    samples.note = lambda compute_us: note(3 * compute_us if comm.rank == 0 else compute_us)


def main() -> None:
    """Train every variant whose name begins as the argument says, and tell."""
    torch.set_num_threads(1)
    first = sys.argv[1] if sys.argv[1:] else ""
    comms = {transport: Communicator(transport) for transport in ("auto", "mpi")}
    for name, changes in VARIANTS.items():
        if not name.startswith(first):
            continue
        ranks = comms["auto"].size
        stages = {"stages": ranks if ranks < 4 else 2} if changes.get("strategy") == "pipeline" else {}
        spec = TrainingSpec.model_validate(BASE | changes | stages)
        comm = comms[spec.transport]
        records: list[Record] = []
        trainer = assemble(comm, spec, records.append)
        if spec.batch_split == "speed":
            slow_down(comm, trainer)
        trainer.run()
        digests = np.zeros(comm.size, np.int64)
        digests[comm.rank] = digest(trainer.module)
        digests = comm.total(digests)
        samples = [count for record in records if isinstance(record, Steps) for count in record.samples or ()]
        if comm.rank == 0:
            result = {
                "name": name,
                "difference": difference(trainer.module, reference(spec)),
                "moved": difference(trainer.module, models.build(spec, data.load(spec))),
                "digests": digests.tolist(),
                "samples": samples,
            }
            sys.stdout.write(json.dumps(result) + "\n")
        trainer.close()
    for comm in comms.values():
        comm.free()


if __name__ == "__main__":
    try:
        main()
    except Exception:
        traceback.print_exc()
        abort(1)  # the others would wait for this rank for ever
