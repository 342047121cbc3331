"""Filter a list of algorithms down to those that can run on this machine, for `ringscope bench --skip-missing`."""

import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

from ringscope.cli.console import complain
from ringscope.contracts.errors import UserError
from ringscope.contracts.words.collectives import SCHEDULED

_CUPY = ("cupy", "it needs CuPy; pip install 'ringscope[cuda12]'.")
# The module that an algorithm needs, and the remedy.
_NEEDED = {"gloo": ("torch", "it comes with PyTorch; pip install 'ringscope[train]'."), "nccl": _CUPY}


def without_missing(names: Sequence[str], body: dict[str, Any], check: Callable[[dict[str, Any]], Any]) -> list[str]:
    """Return the names that can run, and print a line on stderr for each of the others.

    Args: body: a job without its algorithms. check: raises UserError if a job is not valid.

    UserError if none is left, or if another part of the job is wrong.
    """
    benchmark = body["benchmark"]

    def checked(algorithms: list[str]) -> None:
        check(body | {"benchmark": benchmark | {"algorithms": algorithms}})

    # An error with an algorithm that always runs is an error in the other options.
    checked([*SCHEDULED.get(benchmark["collective"], ())][:1])
    if benchmark["device"] == "cuda" and not _is_installed(_CUPY[0]):
        raise UserError(f"--device: cuda: {_CUPY[1]}")
    left: list[str] = []
    sentences: list[str] = []
    for name in names:
        if sentence := _fault(name, checked):
            sentences.append(f"Left out {name}: {sentence}")
        else:
            left.append(name)
    if not left:
        raise UserError(*sentences, "--skip-missing: no algorithm is left; name one that can run here.")
    for sentence in sentences:
        complain(sentence)
    return left


def _fault(name: str, checked: Callable[[list[str]], None]) -> str:
    module, remedy = _NEEDED.get(name, ("", ""))
    if module and not _is_installed(module):
        return remedy
    try:
        checked([name])
    except UserError as error:
        return " ".join(error.sentences)
    return ""


def _is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None
