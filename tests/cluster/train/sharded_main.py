"""Run by test_sharded.py on every rank: jobs with the optimizer in shares, each beside a mirrored one."""

import json
import sys
import traceback
from pathlib import Path

import torch
from tests.train.sharded.comparison import MIRRORED, SHARDED, VARIANTS, compared, difference, everywhere, trained

from ringscope.engine.communicator import Communicator
from ringscope.engine.transports.mpi import abort
from ringscope.train.digest import digest


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
