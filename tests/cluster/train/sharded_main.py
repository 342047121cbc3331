"""Run by test_sharded.py on every rank: jobs with the optimizer in shares, each beside a mirrored one."""

import json
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ringscope.contracts.record import Record, Steps
from ringscope.contracts.training import TrainingSpec
from ringscope.engine.communicator import Communicator
from ringscope.engine.transports.mpi import abort
from ringscope.train.checkpoint import load
from ringscope.train.digest import digest
from ringscope.train.program import assemble

BASE = {
    "model_arguments": {"hidden": 19, "layers": 3},  # so that hardly any share begins at a cache line
    "dataset": {"name": "synthetic", "samples": 512},
    "global_batch_size": 24,
    "epochs": 9,
    "max_steps": 24,
    "bucket_bytes": 8192,
    "all_reduce": "ring",
    "checkpoint_every_steps": 8,
}
VARIANTS: dict[str, dict[str, object]] = {
    "momentum": {"weight_decay": 0.01},
    "no momentum": {"momentum": 0.0, "overlap": False},
    "messages": {"transport": "mpi"},
    "pipelined": {"all_reduce": "ring_pipelined", "bucket_bytes": 1 << 20},
    "accumulation": {"accumulation_steps": 3},
    "bfloat16": {"precision": "bfloat16"},
    "adam": {"optimizer": "adam", "learning_rate": 1e-3},
    "clipping": {"clip_norm": 0.1},
}
MIRRORED, SHARDED = "mirrored", "sharded"


def trained(comm: Communicator, options: dict[str, object], folder: Path) -> tuple[Any, list[float]]:
    """Train, and return the trainer and the losses of this rank."""
    records: list[Record] = []
    trainer = assemble(comm, TrainingSpec.model_validate(BASE | options), records.append, folder)
    trainer.run()
    trainer.close()
    return trainer, [loss for record in records if isinstance(record, Steps) for loss in record.loss or ()]


def everywhere(comm: Communicator, value: bool) -> bool:
    """Return whether ``value`` is true on every rank."""
    return not comm.maximum(np.array([not value], np.int64))[0]


def is_same(one: Any, other: Any) -> bool:
    """Return whether two parts of checkpoints are equal, bit for bit."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    return torch.equal(one, other) if isinstance(one, torch.Tensor) else bool(one == other)


def difference(one: torch.nn.Module, other: torch.nn.Module) -> float:
    """Return the largest difference of any parameter."""
    pairs = zip(one.parameters(), other.parameters(), strict=True)
    return max(float((first - second).detach().abs().max()) for first, second in pairs)


def compared(comm: Communicator, name: str, options: dict[str, object], folder: Path) -> dict[str, object]:
    """Run a mirrored and a sharded job, and return what differs."""
    strategies = (MIRRORED, SHARDED)
    jobs = [trained(comm, options | {"strategy": each}, folder / name / each) for each in strategies]
    (mirrored, mirrored_losses), (sharded, losses) = jobs
    kept = [load(folder / name / each, 24) for each in strategies] if comm.rank == 0 else []
    optimizer = sharded._replica._optimizer
    return {
        "losses": everywhere(comm, losses == mirrored_losses and len(losses) == 24),
        "parameters": everywhere(comm, digest(sharded.module) == digest(mirrored.module)),
        "difference": difference(sharded.module, mirrored.module),
        "checkpoint": all(is_same(getattr(kept[0], part), getattr(kept[1], part)) for part in ("model", "optimizer"))
        if kept
        else None,
        "state_bytes": comm.total(_at(comm, held_bytes(optimizer))).tolist(),
        "whole_bytes": held_bytes(mirrored._replica._optimizer),
    }


def held_bytes(optimizer: Any) -> int:
    """Return the bytes of the state that an optimizer holds for its elements."""
    states = getattr(optimizer, "_optimizer", optimizer).state.values()
    return sum(each.nbytes for state in states for each in state.values() if each is not None and each.dim())


def resumed(comm: Communicator, options: dict[str, object], folder: Path) -> dict[str, object]:
    """Run half of a job by one strategy and half by the other, then on other numbers of ranks; return what differs."""
    whole, _ = trained(comm, options, folder / "whole")
    found: dict[str, object] = {}
    for first, then in ((MIRRORED, SHARDED), (SHARDED, MIRRORED), (SHARDED, SHARDED)):
        place = folder / f"{first} {then}"
        trained(comm, options | {"strategy": first, "max_steps": 11}, place)
        comm.barrier()
        second, _ = trained(comm, options | {"strategy": then}, place)
        found[f"{first}, then {then}"] = everywhere(comm, digest(second.module) == digest(whole.module))
    place = folder / "other ranks"
    trained(comm, options | {"strategy": SHARDED, "max_steps": 11}, place)
    comm.barrier()
    same, _ = trained(comm, options | {"max_steps": 12}, folder / "unbroken")
    is_last = comm.rank == comm.size - 1
    group = comm.split(int(is_last))
    for strategy in (MIRRORED, SHARDED):
        changes = {"strategy": strategy, "max_steps": 12}
        fewer, _ = trained(group, options | changes, copied(group, place, f"{strategy} {is_last}"))
        found[f"{strategy} on other ranks"] = fewer.progress.step
        found[f"{strategy} on other ranks, difference"] = difference(fewer.module, same.module)
    group.free()
    return found


def copied(group: Communicator, place: Path, name: str) -> Path:
    """A copy of the checkpoint, in which only this group writes."""
    copy = place.with_name(f"{place.name} {name}")
    if group.rank == 0:
        copy.mkdir()
        (copy / "step-0000000011.pt").write_bytes((place / "step-0000000011.pt").read_bytes())
    group.barrier()
    return copy


def _at(comm: Communicator, value: int) -> Any:
    every = np.zeros(comm.size, np.int64)
    every[comm.rank] = value
    return every


def main() -> None:
    """Tell of the variants that are named, and of their checkpoints where those are asked for."""
    torch.set_num_threads(1)
    folder, wanted, resumes = Path(sys.argv[1]), sys.argv[2].split(","), [*filter(None, sys.argv[3].split(","))]
    comms = {transport: Communicator(transport) for transport in ("auto", "mpi")}
    for name in wanted:
        options = VARIANTS[name]
        result = compared(comms[str(options.get("transport", "auto"))], name, options, folder)
        if comms["auto"].rank == 0:
            sys.stdout.write(json.dumps({"name": name} | result) + "\n")
    for name in resumes:
        result = resumed(comms["auto"], VARIANTS[name], folder / f"resumed {name}")
        if comms["auto"].rank == 0:
            sys.stdout.write(json.dumps({"name": f"resumed {name}"} | result) + "\n")
    for comm in comms.values():
        comm.free()


if __name__ == "__main__":
    try:
        main()
    except Exception:
        traceback.print_exc()
        abort(1)  # the others would wait for this rank for ever
