"""The syntax tree of a PromQL expression gives its selectors, ranges, groupings and guards."""

from collections.abc import Iterator
from typing import Any

import promql_parser


def parse(expression: str) -> Any:
    """The tree; ValueError for what is no PromQL."""
    return promql_parser.parse(expression)


def selectors(node: Any) -> Iterator[Any]:
    """Yield every vector selector below a node, those of ranges too."""
    if isinstance(node, promql_parser.VectorSelector):
        yield node
    for child in _children(node):
        yield from selectors(child)


def ranges(node: Any, functions: tuple[str, ...]) -> Iterator[str]:
    """Names of the metrics that stand in a range directly below one of the functions."""
    if isinstance(node, promql_parser.Call) and node.func.name in functions:
        yield from (one.name for argument in node.args for one in selectors(argument))
    for child in _children(node):
        yield from ranges(child, functions)


def groupings(node: Any) -> Iterator[tuple[Any, set[str]]]:
    """Yield each aggregation and join with the labels that it names."""
    modifier = getattr(node, "modifier", None)
    if modifier is not None:
        labels = getattr(modifier, "labels", None)
        matching = getattr(modifier, "matching", None)
        named = set(labels or ()) | set(getattr(matching, "labels", None) or ())
        named |= set(getattr(modifier, "group_labels", None) or ())
        yield node, named
    for child in _children(node):
        yield from groupings(child)


def guards(node: Any) -> Iterator[str]:
    """Yield every ``... > 0``."""
    if isinstance(node, promql_parser.BinaryExpr) and str(node.op) == ">" and node.rhs.prettify() == "0":
        yield node.prettify()
    for child in _children(node):
        yield from guards(child)


def _children(node: Any) -> Iterator[Any]:
    for name in ("lhs", "rhs", "expr", "vector_selector"):
        child = getattr(node, name, None)
        if child is not None:
            yield child
    yield from getattr(node, "args", ())
