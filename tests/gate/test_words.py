"""Help texts, descriptions of fields and docstrings are sentences or noun phrases, never fragments."""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("workers/ringscope", "workers/ringscope_agent", "backend/ringscope_server")
OTHERS = ("tests", "benchmarks", "scripts", "deploy", "examples")  # only their docstrings are checked
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


def _comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each comment; the lines of a block are one comment."""
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line, is_alone = token.start[0], token.line.lstrip().startswith("#")
            if not is_alone or line != last + 1:
                yield line, token.string.lstrip("# ")
            last = line if is_alone else 0


@dataclass(frozen=True)
class Kind:
    """One kind of text, and how it must not begin.

    ``likely`` is found in the source of every module that has such a fragment: to parse all modules takes a minute.
    """

    likely: re.Pattern[str]
    texts: Callable[[str], Iterator[tuple[int, str]]]
    fragment: re.Pattern[str]

    def fragments(self, source: str) -> list[tuple[int, str]]:
        """Return the line and the text of each fragment."""
        if not self.likely.search(source):
            return []
        return [(line, text) for line, text in self.texts(source) if self.fragment.match(text)]

    def all_fragments(self, folders: Sequence[str] = PACKAGES) -> list[str]:
        """Return the fragments in these folders, each with its place."""
        return [
            f"{path}:{line}: {text.splitlines()[0]}"
            for folder in folders
            for path, source in _sources(folder).items()
            for line, text in self.fragments(source)
        ]


@cache
def _sources(folder: str) -> dict[Path, str]:
    """Return the modules of a folder by their paths."""
    paths = sorted((ROOT / folder).rglob("*.py"))
    return {path.relative_to(ROOT): path.read_text() for path in paths}


HELP = Kind(re.compile(rf"[\"']{FRAGMENT.pattern}"), _helps, FRAGMENT)
DOCSTRING = Kind(re.compile(rf"[\"'](\\?\s)*{DOCSTRING_FRAGMENT.pattern}"), _docstrings, DOCSTRING_FRAGMENT)
COMMENT = Kind(re.compile(rf"#[# ]*{COMMENT_FRAGMENT.pattern}", re.IGNORECASE), _comments, COMMENT_FRAGMENT)


def test_no_help_text_or_description_is_a_fragment() -> None:
    found = HELP.all_fragments()
    assert not found, "write a sentence or a noun phrase:\n" + "\n".join(found)


def test_no_description_on_the_page_is_a_fragment() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {text}"
        for path in sorted((ROOT / "frontend/src").rglob("*.tsx"))
        for text in re.findall(r'\bdescription="([^"]+)"', path.read_text())
        if FRAGMENT.match(text)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("source", ['f(help="Of it.")', 'f(help=f"Of {x}")', 'f(a,\n  description="Of " + x)'])
def test_fragments_are_found_in_every_way_of_writing_them(source: str) -> None:
    assert len(HELP.fragments(source)) == 1


@pytest.mark.parametrize("source", ['f(help="Ranks of it.")', 'f("Of it.")', 'f(help="Often.")'])
def test_what_is_no_fragment_of_a_help_text_is_passed_over(source: str) -> None:
    assert HELP.fragments(source) == []


@pytest.mark.parametrize("folder", [*PACKAGES, *OTHERS])
def test_no_docstring_begins_as_a_fragment(folder: str) -> None:
    found = DOCSTRING.all_fragments([folder])
    assert not found, "begin with a subject or an imperative:\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('"""Of it."""', "Of it."),
        ('class A:\n    """What is."""', "What is."),
        ('class A:\n    def f(self): "Whether it is."', "Whether it is."),
        ('async def f():\n    """\n    Of it.\n    """', "Of it."),
        ('async def f():\n    """\\\n    Of it."""', "Of it."),
        ("def f():\n    r''' Of it.'''", "Of it."),
    ],
)
def test_docstrings_are_found_in_modules_classes_and_functions(source: str, text: str) -> None:
    assert [text for _, text in DOCSTRING.fragments(source)] == [text]


@pytest.mark.parametrize("source", ['def g(): "Return it."', 'def f():\n    """Return it."""\n    g("Of it.")'])
def test_what_is_no_fragment_of_a_docstring_is_passed_over(source: str) -> None:
    assert DOCSTRING.fragments(source) == []


def test_no_comment_of_the_workers_begins_as_a_fragment() -> None:
    found = COMMENT.all_fragments()
    assert not found, "begin with a subject or an imperative:\n" + "\n".join(found)


def test_comments_are_found_behind_code_and_in_blocks() -> None:
    source = "a = 1  # of one rank\n# Ranks\n# of one node.\nb = 2\n# Those of all.\n#of it\n"
    assert [line for line, _ in COMMENT.fragments(source)] == [1, 5]
