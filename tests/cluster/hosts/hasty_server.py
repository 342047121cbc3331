"""The server's program, with a shorter silence until a node is lost: polls are held for a second, and no longer."""

import sys
from datetime import timedelta

from ringscope_server import __main__ as program
from ringscope_server.nodes import health

health.LOST_AFTER = timedelta(seconds=7)

if __name__ == "__main__":
    sys.exit(program.main(["--poll-seconds", "1", *sys.argv[1:]]))
