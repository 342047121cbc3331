"""Help texts and descriptions of fields are sentences or noun phrases, never fragments."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("workers/ringscope", "workers/ringscope_agent", "backend/ringscope_server")
FRAGMENT = re.compile(
    r"(After|As|At|Before|Between|By|For|From|In|Into|Of|On|Over|Per|Since|That|Those|To|Under|Until|Where|Whether or|"
    r"Who|Whom|With|Within|Without)\b"
)


def _helps(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the first words of each ``help=`` and ``description=``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.keyword) and node.arg in ("help", "description"):
            value = node.value
            while isinstance(value, ast.BinOp):
                value = value.left
            if isinstance(value, ast.JoinedStr):
                value = value.values[0]
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield value.lineno, value.value


def test_no_help_text_or_description_is_a_fragment() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for line, text in _helps(path.read_text())
        if FRAGMENT.match(text)
    ]
    assert not found, "write a sentence or a noun phrase:\n" + "\n".join(found)


def test_fragments_are_found_in_every_way_of_writing_them() -> None:
    source = 'f(help="Of it.")\nf(help=f"Of {x}")\nf(description="Of " + x)\nf(help="Ranks of it.")'
    assert [line for line, text in _helps(source) if FRAGMENT.match(text)] == [1, 2, 3]
