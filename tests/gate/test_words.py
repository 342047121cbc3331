"""Help texts, descriptions of fields and docstrings are sentences or noun phrases, never fragments."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("workers/ringscope", "workers/ringscope_agent", "backend/ringscope_server")
FRAGMENT = re.compile(
    r"(After|As|At|Before|Between|By|For|From|In|Into|Of|On|Over|Per|Since|That|Those|To|Under|Until|Where|Whether or|"
    r"Who|Whom|With|Within|Without)\b"
)
# A docstring begins with a subject or an imperative: "Return whether…", not "Whether…"; "Number of…", not "How many…".
DOCSTRING_FRAGMENT = re.compile(
    FRAGMENT.pattern.removesuffix(r")\b")
    + "|A few|All that|Anything|Beside|How|Like|Once|Or|So|What|When|Whether|Which|"
    r"Whoever|Whose)\b"
)

# A comment that begins so has no subject: "limit for one rank", not "of one rank"; "cores that ranks use", not "that…".
COMMENT_FRAGMENT = re.compile(r"(of|that|those|which|who|whom|whoever|whose)\b", re.IGNORECASE)


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


def _docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each docstring."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "lineno", 1), text


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


def test_no_docstring_of_the_product_begins_as_a_fragment() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text.splitlines()[0]}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for line, text in _docstrings(path.read_text())
        if DOCSTRING_FRAGMENT.match(text)
    ]
    assert not found, "begin with a subject or an imperative:\n" + "\n".join(found)


def test_docstrings_are_found_in_modules_classes_and_functions() -> None:
    source = '"""Of it."""\nclass A:\n    """What is."""\n    def f(self): "Whether it is."\n\ndef g(): "Return it."'
    assert [text for _, text in _docstrings(source) if DOCSTRING_FRAGMENT.match(text)] == [
        "Of it.",
        "What is.",
        "Whether it is.",
    ]


def _comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each comment; the lines of a block are one comment."""
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line, is_alone = token.start[0], token.line.lstrip().startswith("#")
            if not is_alone or line != last + 1:
                yield line, token.string.lstrip("# ")
            last = line if is_alone else 0


def test_no_comment_of_the_workers_begins_as_a_fragment() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for line, text in _comments(path.read_text())
        if COMMENT_FRAGMENT.match(text)
    ]
    assert not found, "begin with a subject or an imperative:\n" + "\n".join(found)


def test_comments_are_found_behind_code_and_in_blocks() -> None:
    source = "a = 1  # of one rank\n# Ranks\n# of one node.\nb = 2\n# Those of all.\n"
    assert [line for line, text in _comments(source) if COMMENT_FRAGMENT.match(text)] == [1, 5]
