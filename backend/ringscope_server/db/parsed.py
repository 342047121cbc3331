"""Models of stored JSON, kept for as long as it stays the same: lists show the same jobs again and again.

To validate a job's specification and summary takes longer than all else that a list does with it.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

M = TypeVar("M")


class Parsed(Generic[M]):
    """The models of the last ``most`` rows that were asked for, by the row's id. Nobody may change one."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._models: OrderedDict[int, tuple[Mapping[str, Any], M]] = OrderedDict()

    def get(self, row_id: int, fields: Mapping[str, Any], parse: Callable[[Mapping[str, Any]], M]) -> M:
        """The model of these fields: known if the row had the same ones the last time."""
        known = self._models.pop(row_id, None)
        model = known[1] if known is not None and known[0] == fields else parse(fields)
        self._models[row_id] = (fields, model)
        if len(self._models) > self._most:
            self._models.popitem(last=False)
        return model
