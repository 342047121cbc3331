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


def test_ctrl_c_means_the_same_as_ever_once_a_command_runs() -> None:
    program = (
        "import ringscope.cli.main as m, signal\n"
        "m.main = lambda: print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)\n"
        "from ringscope.cli.start import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
