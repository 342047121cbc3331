"""Run by test_rank.py on every rank: many short sweeps in one gang, as starting one takes longer than any of them."""

import json
import sys
from pathlib import Path

from ringscope.bench.sweep import Sweep
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.record import Record
from ringscope.engine.communicator import Communicator
from ringscope.engine.step_ring import StepMemory, StepRing


def main() -> None:
    """``sweeps_main.py FOLDER TRANSPORT``: each sweep of FOLDER/sweeps.json by name; this rank's records beside it."""
    folder = Path(sys.argv[1])
    comm = Communicator(sys.argv[2])
    memory = StepMemory(comm.size)
    ring, reader = StepRing.opened(memory.path, comm.rank), memory.reader(comm.rank, comm.position)
    told: dict[str, list[str]] = {}
    for name, benchmark in json.loads((folder / "sweeps.json").read_text()).items():
        records = told[name] = []

        def keep(record: Record, records: list[str] = records) -> None:
            records.append(record.model_dump_json())

        Sweep(comm, BenchmarkSpec.model_validate(benchmark), keep, ring=ring).run()
        records += [steps.model_dump_json() for iterations in reader.read() for steps in iterations.steps()]
    (folder / f"{comm.rank}.json").write_text(json.dumps(told))
    comm.free()


if __name__ == "__main__":
    main()
