"""The server on a machine whose wall clock is ahead by the seconds in the file that the first argument names.

Monotonic clocks do not change.
"""

import sys
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from ringscope_server import services
from ringscope_server.__main__ import main
from ringscope_server.db import engine


def set_by(ahead: Path) -> type[datetime]:
    """A wall clock."""

    class Set(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]  # it is only looked at
            return datetime.now(tz) + timedelta(seconds=float(ahead.read_text()))

    return Set


if __name__ == "__main__":
    clock = set_by(Path(sys.argv[1]))
    for module in (services, engine):
        module.datetime = clock  # type: ignore[attr-defined]
    sys.exit(main(sys.argv[2:]))
