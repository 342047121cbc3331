"""Where the `ringscope` command begins: while its imports run (about 0.3 s), Ctrl-C ends it without a traceback."""

import signal


def main() -> None:
    """Load the commands, then run the one that was asked for."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ringscope.cli.main import main as run

    signal.signal(signal.SIGINT, signal.default_int_handler)
    run()
