"""Results of other tools."""

from collections.abc import Mapping
from typing import Any

from ringscope.client.connection import Connection


class ImportRoutes(Connection):
    """/imports."""

    def preview_imports(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the rows, checks, machine and judgement of files; nothing is stored."""
        return self._body(self._send("POST", "/imports/preview", is_repeatable=True, json=dict(body)))
