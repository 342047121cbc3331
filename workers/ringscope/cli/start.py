"""Entry point of the `ringscope` command: Ctrl-C during its imports (about 0.3 s) ends it without a traceback."""

import signal
import sys


def main() -> None:
    """Load the commands, then run the requested one."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # httpx works without its own command line, whose libraries took a seventh of a command's time.
    sys.modules["httpx._main"] = None  # type: ignore[assignment]
    from ringscope.cli.main import main as run

    signal.signal(signal.SIGINT, signal.default_int_handler)
    run()
