"""Scripts: a Python file on the node as the program of every rank."""

from __future__ import annotations

import io
import os
import runpy
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ringscope.contracts.rank_process import STACKS_VARIABLE
from ringscope.contracts.record import Record
from ringscope.contracts.training import ScriptSpec
from ringscope.engine.errors import EngineError
from ringscope.engine.waiting.library_errors import naming_lost_ranks
from ringscope.rank import api, flight_recorder
from ringscope.rank.collective_watch import CollectiveWatch
from ringscope.rank.step_log import StepLog
from ringscope.rank.torch_waits import TorchWaits
from ringscope.rank.torchrun import torchrun_variables
from ringscope.rank.watch.steps import Watch
from ringscope.train.own import below

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


def run_script(comm: Communicator, spec: ScriptSpec, folder: str | None, emit: Callable[[Record], None]) -> None:
    """Run it as ``python FILE ARGUMENTS`` or ``python -m MODULE`` would; its ``ringscope.init()`` gives ``comm``.

    The environment also has what torchrun would set, so that ``torch.distributed`` finds the ranks. Unless the job has
    ``no_watch``, its steps and collectives are seen from outside.

    EngineError with a sentence if there is no such file below ``folder``, or if the script fails; its traceback then
    goes to the log, for the script's author. DifferenceError if ranks that train together differ at the end.
    """
    _print_whole_lines()
    file = script_file(spec, folder)
    root = Path(folder or file.parent).resolve()
    steps = StepLog(comm, emit)
    api.adopt(comm, steps)
    os.environ.update(torchrun_variables(comm))
    dumps = os.environ.get(STACKS_VARIABLE)
    flight_recorder.set_up(os.environ, dumps)
    watch = Watch(comm, steps, emit)
    if not spec.no_watch:
        watch.start()
    _enter(root / spec.folder if spec.folder else root if spec.as_module else file.parent)
    sys.argv = [str(file), *spec.arguments]
    sys.path.insert(0, str(root if spec.as_module else file.parent))
    try:
        waits = None if spec.no_watch else TorchWaits(comm.size, lambda: watch.has_ddp)
        watched = CollectiveWatch(comm.position, waits, flight_recorder.Dumper(dumps, comm.rank).look)
        with naming_lost_ranks(comm), watched:
            if spec.as_module:
                runpy.run_module(spec.module, run_name="__main__", alter_sys=True)
            else:
                runpy.run_path(str(file), run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            raise EngineError(f"{spec.file} ended with {end.code!r}.") from end
    except EngineError:
        raise
    except Exception as error:
        traceback.print_exc()
        raise EngineError(f"{spec.file} failed: {type(error).__name__}: {error}") from error
    finally:
        watch.close()
        steps.close()
    steps.end_training()


def _print_whole_lines() -> None:
    """Write each printed line at once: unbuffered output comes in parts, between which mpiexec puts those of others."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True, write_through=False)


def _enter(folder: Path) -> None:
    """Relative paths of the program are resolved there."""
    try:
        os.chdir(folder)
    except OSError as error:
        raise EngineError(
            f"script: {folder} cannot be entered ({error.strerror}); let the agent's user enter it."
        ) from error


def script_file(spec: ScriptSpec, folder: str | None) -> Path:
    """Return the path of the file; EngineError if it is missing, or outside the folder."""
    return below("script.file", spec.file, folder)
