"""Which of the algorithms of a list can run on this machine, for `ringscope bench --skip-missing`."""

import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

from ringscope.cli.console import complain
from ringscope.contracts.errors import UserError

# The module that an algorithm needs, and the remedy.
_NEEDED = {
    "gloo": ("torch", "it comes with PyTorch; pip install 'ringscope[train]'."),
    "nccl": ("cupy", "it needs CuPy; pip install 'ringscope[cuda12]'."),
}


def without_missing(names: Sequence[str], check: Callable[[list[str]], Any]) -> list[str]:
    """The names that can run, and a line on stderr for each of the others; ``check`` refuses a specification.

    UserError when none is left.
    """
    left: list[str] = []
    sentences: list[str] = []
    for name in names:
        if sentence := _fault(name, check):
            sentences.append(f"Left out {name}: {sentence}")
        else:
            left.append(name)
    if not left:
        raise UserError(*sentences, "--skip-missing: no algorithm is left; name one that can run here.")
    for sentence in sentences:
        complain(sentence)
    return left


def _fault(name: str, check: Callable[[list[str]], Any]) -> str:
    module, remedy = _NEEDED.get(name, ("", ""))
    if module and importlib.util.find_spec(module) is None:
        return remedy
    try:
        check([name])
    except UserError as error:
        return " ".join(error.sentences)
    return ""
