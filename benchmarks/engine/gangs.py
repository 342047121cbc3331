"""Starts the ranks of ``measure.py``: with mpiexec on this machine, or on the hosts of a shaped network."""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path

from benchmarks.engine.measure import MeasurePlan, Series, series_of
from benchmarks.engine.network import DEVICE, Network

from ringscope.rank.foreign import without_foreign
from ringscope.rank.machine import known_machine
from ringscope.rank.mpiexec import find_mpiexec, start_ranks
from ringscope.rank.parent_death import end_with_parent

_PROGRAM = ("-m", "benchmarks.engine.measure")
_ROOT = Path(__file__).parents[2]
_LAUNCH = re.compile(r"^HYDRA_LAUNCH: .*--control-port (\S+) .*--proxy-id (\d+)\s*$")
_LAUNCH_END = "HYDRA_LAUNCH_END"
_DEADLINE_SECONDS = 600
# MPICH must not take the way through shared memory, which the hosts of one machine have in common.
_OVER_TCP = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": DEVICE}
_Process = subprocess.Popen[str]


def on_this_machine(ranks: int, plan: MeasurePlan) -> list[Series]:
    """Measure with that many ranks side by side."""
    with _files(plan) as (plan_path, result_path):
        command = [sys.executable, *_PROGRAM, str(plan_path), str(result_path)]
        run_ranks(ranks, command, _environment())
        return series_of(json.loads(result_path.read_text()))


def run_ranks(ranks: int, command: Sequence[str], environment: Mapping[str, str]) -> None:
    """Run that many ranks of a program to their end. Raises CalledProcessError if they fail."""
    with start_ranks(ranks, command, environment, preexec_fn=end_with_parent) as process:
        try:
            code = process.wait(_DEADLINE_SECONDS)
        except BaseException:
            process.kill()
            raise
    if code:
        raise subprocess.CalledProcessError(code, command)


def on_hosts(network: Network, plan: MeasurePlan) -> list[Series]:
    """Measure with one rank on each host.

    As Ringscope's agents do it: mpiexec starts nothing itself but says what each host's proxy must be told, and the
    proxies are started inside the namespaces.
    """
    mpiexec = find_mpiexec()
    proxy = str(mpiexec.with_name("hydra_pmi_proxy"))
    hosts = ",".join(f"{address}:1" for address in network.addresses)
    launcher = ("-launcher", "manual", "-rmk", "user", "-localhost", network.addresses[0], "-hosts", hosts)
    with _files(plan) as (plan_path, result_path), ExitStack() as started:
        rank = ("-n", str(len(network.addresses)), sys.executable, *_PROGRAM, str(plan_path), str(result_path))
        command = network.inside(0, [str(mpiexec), *launcher, *rank])
        main = started.enter_context(_started(command, stdout=subprocess.PIPE))
        for port, number in _proxies(main):
            manual = ("--rmk", "user", "--launcher", "manual", "--demux", "poll", "--pgid", "0", "--retries", "10")
            sizes = ("--usize", "-1", "--pmi-port", "0", "--gpus-per-proc", "-2", "--gpu-subdevs-per-proc", "-2")
            where = ("--control-port", port, "--proxy-id", number)
            started.enter_context(_started(network.inside(int(number), [proxy, *where, *manual, *sizes])))
        output = main.communicate(timeout=_DEADLINE_SECONDS)[0]
        if main.returncode:
            raise RuntimeError(f"mpiexec ended with exit code {main.returncode}.\n{output}")
        return series_of(json.loads(result_path.read_text()))


def _proxies(mpiexec: _Process) -> Iterator[tuple[str, str]]:
    """(control port, proxy number) of each host, as mpiexec prints them."""
    assert mpiexec.stdout is not None
    for line in mpiexec.stdout:
        if line.startswith(_LAUNCH_END):
            return
        found = _LAUNCH.match(line)
        if found:
            yield found[1], found[2]
    raise RuntimeError(f"mpiexec ended with exit code {mpiexec.wait()} before it named its proxies.")


@contextmanager
def _started(command: list[str], stdout: int | None = None) -> Iterator[_Process]:
    environment = _environment() | _OVER_TCP
    process = subprocess.Popen(command, env=environment, stdout=stdout, text=True, preexec_fn=end_with_parent)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def _files(plan: MeasurePlan) -> Iterator[tuple[Path, Path]]:
    known_machine()  # before there are ranks, which would be measured with it
    with tempfile.TemporaryDirectory(prefix="ringscope-bench-") as folder:
        plan_path, result_path = Path(folder, "plan.json"), Path(folder, "result.json")
        plan_path.write_text(json.dumps(asdict(plan)))
        yield plan_path, result_path


def _environment() -> dict[str, str]:
    path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
    return without_foreign(os.environ) | {"OMP_NUM_THREADS": "1", "PYTHONPATH": path}
