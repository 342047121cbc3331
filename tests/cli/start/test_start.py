"""The first moments of the command line."""

import signal
import subprocess
import sys

INTERRUPTED_WHILE_IMPORTING = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, *_):
        if name == "ringscope.cli.main":
            os.kill(os.getpid(), signal.SIGINT)

from ringscope.cli.start import main
sys.meta_path.insert(0, Interrupt())
main()
"""


def test_ctrl_c_while_it_loads_prints_no_traceback() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED_WHILE_IMPORTING], capture_output=True, check=False)
    assert done.returncode == -signal.SIGINT
    assert done.stderr == b""


JOBS_ARE_LISTED = """
import signal, sys
from importlib import import_module
from types import SimpleNamespace
from ringscope.cli.start import main

def listed():
    import_module("ringscope.cli.commands.jobs")
    print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    print("httpx" in sys.modules, "pygments" in sys.modules)

sys.modules["ringscope.cli.main"] = SimpleNamespace(main=listed)
main()
"""


def test_once_a_command_runs_ctrl_c_means_the_same_as_ever_and_nothing_is_loaded_in_vain() -> None:
    done = subprocess.run([sys.executable, "-c", JOBS_ARE_LISTED], capture_output=True, text=True, check=True)
    assert done.stdout == "True\nTrue False\n"
