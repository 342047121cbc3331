"""Files of other programs, explained by the server."""

from collections.abc import Mapping
from typing import Any

from ringscope.client.connection import Connection


class FileRoutes(Connection):
    """/files."""

    def explain_files(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return what files are, and their explanations; nothing is stored."""
        return self._bring("/files/explanation", body)
