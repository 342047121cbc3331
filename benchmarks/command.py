"""The command line that all benchmarks share: their arguments and their exit codes.

0: every target was met, or there is none; 1: a target was missed, and nothing else went wrong; 2: something is missing
or could not be measured, and one sentence says what; 130 and 143: the benchmark was stopped.
"""

import argparse
import math
import os
import signal
import sys
import traceback
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NoReturn

from ringscope.contracts.errors import UserError

MISSED, NOT_MEASURED = 1, 2
_INTERRUPTED, _TOLD_TO_STOP = 130, 143


class Parser(argparse.ArgumentParser):
    """A script's arguments; ``--help`` shows its docstring, and what is refused is refused in one line."""

    def __init__(self, document: str | None) -> None:
        summary, _, rest = (document or "").partition("\n\n")
        style = argparse.RawDescriptionHelpFormatter
        super().__init__(
            prog=program(), description=summary, epilog=rest.rstrip(), formatter_class=style, allow_abbrev=False
        )

    def error(self, message: str) -> NoReturn:
        """Exit 2, and no usage: the line says what is wrong."""
        self.exit(NOT_MEASURED, f"{self.prog}: {' '.join(message.split()).rstrip('.')}. --help shows what there is.\n")


def count(least: int = 1) -> Callable[[str], int]:
    """The type of an argument: a whole number, ``least`` or more."""

    def parsed(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} on")
        return int(text)

    return parsed


def quantity(least: float = 0.0) -> Callable[[str], float]:
    """The type of an argument: a number above ``least``."""

    def parsed(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not least < value < math.inf:
            raise argparse.ArgumentTypeError(f"{text!r} is no number above {least:g}")
        return value

    return parsed


def one_of(names: Collection[str]) -> Callable[[str], str]:
    """The type of an argument: one of these names."""

    def parsed(text: str) -> str:
        if text not in names:
            raise argparse.ArgumentTypeError(f"there is no {text}; choose from {', '.join(names)}")
        return text

    return parsed


def exit_with(main: Callable[[], int]) -> NoReturn:
    """End this process with what ``main`` returns. A fault of the script shows where it is, and is no missed target."""
    # Being told to stop must pass through the context managers that take down namespaces, servers and ranks.
    signal.signal(signal.SIGTERM, _stop_once)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        _say("interrupted.")
        sys.exit(_INTERRUPTED)
    except UserError as error:
        _say(" ".join(error.sentences))
    except Exception:
        traceback.print_exc()
    sys.exit(NOT_MEASURED)


def _stop_once(*_: object) -> None:
    """End this process by an exception, once: programs such as timeout tell it twice, and then it is cleaning up."""
    signal.signal(signal.SIGTERM, _stay)
    sys.exit(_TOLD_TO_STOP)


def _stay(*_: object) -> None:
    """Do nothing. The programs that the cleaning up starts would inherit an ignored signal, but not a handled one."""


def exec_part(name: str) -> NoReturn:
    """Run ``python -m benchmarks NAME`` in place of this process."""
    os.execv(sys.executable, [sys.executable, "-m", "benchmarks", name, *sys.argv[1:]])


def program() -> str:
    """Return the name that this process was started by: ``benchmarks.server.agents``."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return spec.name.removesuffix(".__main__") if spec else Path(sys.argv[0]).name


def _say(sentence: str) -> None:
    print(f"{program()}: {sentence}", file=sys.stderr, flush=True)
